import { Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../../platform/kinds/duration.js';
import { LEVELS } from './campaign.js';
import { PARTS } from './parts.js';
import { type ClusterRunOptions, runCluster } from './run-cluster.js';
import { type NoticesOptions, runNotices } from './run-notices.js';

const report = (line: string): void => console.error(line);
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => ending.abort(new Error('stopped')));
const run = { report, signal: ending.signal };

const program = new Command('npm run chaos --').description(
  'Injects faults on an embedded stack of its own, by a seed.',
);

program
  .command('cluster', { isDefault: true })
  .description(
    'Writes rows, updates deployments and starts runs on 2 APIs, 3 workers and 2 gateways while processes are killed and stopped, and workers lose Temporal, the database or the engine.',
  )
  .option('--minutes <count>', 'how long faults occur', parsePositive, 30)
  .option('--seconds <count>', 'a short form with faults of 10 s to 15 s, instead of --minutes', parsePositive)
  .option('--seed <number>', 'of the faults', parseCount, 7)
  .option('--plan', 'print the faults and start nothing')
  .option('--keep', 'leave the logs of the processes')
  .action(async (options: ClusterRunOptions) => finish(await runCluster(options, run)));

program
  .command('notices')
  .description(
    `Delivers notices to a receiver at which everything goes wrong while ${PARTS.join(', ')} are killed in turn, and compares in the end.`,
  )
  .option('--notices <count>', 'how many changes are delivered', parseCount, 2_000)
  .addOption(new Option('--level <level>', 'what the receiver can do').choices(LEVELS).default('L2'))
  .option('--concurrency <count>', 'how many are sent at once', parseConcurrency, 32)
  .option('--seed <number>', 'of the faults', parseCount, 7)
  .option('--kill-every <duration>', 'such as 5s; 0s kills nothing', parsePause, 5_000)
  .option('--plain-http', 'leave TLS and its faults out')
  .action(async (options: NoticesOptions) => finish(await runNotices(options, run)));

await program.parseAsync();

function finish(holds: boolean): never {
  process.exit(holds ? 0 : 1);
}

function parseCount(text: string): number {
  if (!/^\d{1,8}$/.test(text)) throw new InvalidArgumentError('a whole number');
  return Number(text);
}

function parseConcurrency(text: string): number {
  if (!/^([1-9]\d?|100)$/.test(text)) throw new InvalidArgumentError('a whole number from 1 to 100');
  return Number(text);
}

function parsePause(text: string): number {
  const ms = parseDuration(`PT${text.toUpperCase()}`);
  if (ms === undefined) throw new InvalidArgumentError('a time such as 5s');
  return ms;
}

function parsePositive(text: string): number {
  const count = parseCount(text);
  if (count === 0) throw new InvalidArgumentError('a whole number above 0');
  return count;
}
