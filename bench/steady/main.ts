import { Command, InvalidArgumentError } from 'commander';
import { startTestPlatform } from '../../test/e2e/platform.js';
import { startTestStack, stopTestStack } from '../../test/stack/test-stack.js';
import { runSteady } from './run.js';
import { toSteadyTable } from './table.js';

const { minutes, seed } = new Command('npm run steady --')
  .description(
    'Calls two deployments behind a route steadily, on the embedded stack, while weights change, replicas are killed, and deployments are scaled, updated and rolled back.',
  )
  .option('--minutes <count>', 'how long events happen, up to 50', parseMinutes, 30)
  .option('--seed <number>', 'of the events', parseCount, 7)
  .parse()
  .opts<{ minutes: number; seed: number }>();

Object.assign(process.env, await startTestStack());
const platform = await startTestPlatform({ SLIPWAY_GUARD_SECONDS: '10' });
try {
  const report = (line: string): void => console.error(line);
  const { text, holds } = toSteadyTable(await runSteady({ platform, seconds: minutes * 60, seed, report }));
  console.log(`\nnpm run steady -- --minutes ${minutes} --seed ${seed}\n\n${text}`);
  process.exitCode = holds ? 0 : 1;
} finally {
  await platform.stop();
  await stopTestStack();
}
process.exit();

/** The token of the callers ends after an hour. */
function parseMinutes(text: string): number {
  const minutes = parseCount(text);
  if (minutes > 50) throw new InvalidArgumentError('a whole number from 1 to 50');
  return minutes;
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,7}$/.test(text)) throw new InvalidArgumentError('a whole number above 0');
  return Number(text);
}
