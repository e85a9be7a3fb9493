import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import type { Training } from '../../lifecycle/kinds/training.js';
import { collections } from '../../platform/stores/collections.js';
import { type Revision, revisionId } from '../../platform/stores/resource-log.js';
import { rowOf, trainingOf } from '../lists/trainings.js';
import { writeResult } from '../report.js';
import { parseCount } from './options.js';
import { cpuSeconds, since } from './processes.js';
import { readRounds } from './rounds.js';
import { machineLoad, report, type Scene, withScene } from './scene.js';

const BAR_SECONDS = 10;
const ROWS_AT_ONCE = 1_000;

const options = new Command('npx tsx bench/scale/repair.ts')
  .description('Rounds of repair beside many trainings that ended, written directly, of which some changed today.')
  .option('--trainings <count>', 'how many', parseCount, 100_000)
  .option('--changed <count>', 'how many of them have a revision in the log', parseCount, 1_000)
  .option('--rounds <count>', 'for how many rounds', parseCount, 4)
  .parse()
  .opts<{ trainings: number; changed: number; rounds: number }>();

await withScene({}, measure);
process.exit();

async function measure(scene: Scene): Promise<void> {
  await writeTrainings(scene);
  restartWorker(scene);
  const everyMs = scene.platform.settings.SLIPWAY_SWEEP_SECONDS * 1_000;
  // The worker reads all of them when it starts, and the round that is under way meanwhile ends late.
  const begin = (Math.ceil(Date.now() / everyMs) + 3) * everyMs;
  await sleep(begin - Date.now());
  const pids = await scene.pids();
  const before = cpuSeconds(pids);
  const end = begin + options.rounds * everyMs;
  await sleep(end + BAR_SECONDS * 1_000 - Date.now());
  const processorSeconds = since(before, cpuSeconds(pids));
  const rounds = await readRounds(scene.temporal, 'sweep', { begin, end, everyMs });
  const reached = rounds.missed === 0 && rounds.longestSeconds <= BAR_SECONDS;
  console.log(`\nrounds of repair beside ${options.trainings} trainings, ${options.changed} of them changed today, s`);
  console.table([{ ...rounds, bar: BAR_SECONDS, reached }]);
  console.table(processorSeconds);
  await writeResult('scale-repair', {
    ...{ ...options, barSeconds: BAR_SECONDS, reached, rounds, processorSeconds, load: machineLoad() },
  });
}

async function writeTrainings({ database }: Scene): Promise<void> {
  const stored = database.table<Revision<Training>>(collections.entity('ModelTraining'));
  const log = database.table<Revision<Training>>(collections.log('ModelTraining'));
  const at = new Date().toISOString();
  for (let from = 0; from < options.trainings; from += ROWS_AT_ONCE) {
    const rows = Array.from({ length: Math.min(ROWS_AT_ONCE, options.trainings - from) }, (_, n) => endedRow(from + n));
    await stored.insertAll(rows);
    const changed = rows.slice(0, Math.max(0, options.changed - from));
    await log.insertAll(changed.map((row) => ({ ...row, at, _id: revisionId(row.id, row.revision) })));
  }
  report(`${options.trainings} trainings are stored`);
}

function endedRow(number: number): Revision<Training> {
  const training = trainingOf(number);
  return rowOf({ ...training, status: { ...training.status, state: 'succeeded' } });
}

/** The platform starts it again, and it takes up what was written directly. */
function restartWorker({ platform }: Scene): void {
  const { pid } = platform.processes.worker;
  if (pid === undefined) throw new Error('the worker does not run');
  process.kill(pid, 'SIGTERM');
}
