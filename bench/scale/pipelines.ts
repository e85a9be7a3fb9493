import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { execa } from 'execa';
import pLimit from 'p-limit';
import type { Client } from '../../examples/wine/demo/client.js';
import { writeResult } from '../report.js';
import { countersOf } from '../soak/schedules.js';
import { judge, readRuns } from '../soak/turns.js';
import { parseCount } from './options.js';
import { cpuSeconds, since } from './processes.js';
import { readRounds } from './rounds.js';
import { machineLoad, report, type Scene, withScene } from './scene.js';

const PATH = '/api/v1/model/pipeline';
const SETTLE_MS = 60_000;
const PAUSES_AT_ONCE = 8;
const PAUSE_ATTEMPTS = 5;

const options = new Command('npx tsx bench/scale/pipelines.ts')
  .description(
    'Many pipelines with a schedule and a feedback trigger, whose runs reuse the training of the first one: counts missed rounds and turns, and measures what one pipeline and one run cost.',
  )
  .option('--pipelines <count>', 'how many', parseCount, 1_000)
  .option('--every-minutes <count>', 'the interval of each schedule, over which the starts are spread', parseCount, 10)
  .option('--intervals <count>', 'for how many intervals', parseCount, 2)
  .parse()
  .opts<{ pipelines: number; everyMinutes: number; intervals: number }>();

const { pipelines: count, everyMinutes, intervals } = options;
const everyMs = everyMinutes * 60_000;
const ids = Array.from({ length: count }, (_, n) => `scale-${String(n).padStart(5, '0')}`);

const settings = (folder: string): NodeJS.ProcessEnv => ({ SLIPWAY_LOCAL_REPOSITORIES: folder });
await withScene({ settings, times: { resolveMs: 100, trainMs: 100 } }, measure);
process.exit();

async function measure(scene: Scene): Promise<void> {
  await createProject(scene);
  const client = await scene.login();
  await runFirst(client);
  for (const [n, id] of ids.entries()) {
    await client.create('/model/pipeline', id, specOf(true));
    if ((n + 1) % 100 === 0) report(`${n + 1} pipelines are stored`);
  }
  const begin = Math.ceil((Date.now() + 2_000) / everyMs) * everyMs;
  const idle = await cpuWhile(scene, begin - Date.now());
  const end = begin + (intervals - 1) * everyMs;
  report(`the first interval begins`);
  const busy = await cpuWhile(scene, intervals * everyMs);

  const admin = await scene.login();
  const limit = pLimit(PAUSES_AT_ONCE);
  await Promise.all(ids.map((id) => limit(() => pause(admin, id))));
  await sleep(SETTLE_MS);
  const verdict = judge(await readRuns(admin, ids), { ids, begin, end, everyMs });
  const counters = await countersOf(scene.temporal, ids);
  const sweepSeconds = scene.platform.settings.SLIPWAY_SWEEP_SECONDS;
  const window = { begin, end: begin + intervals * everyMs, everyMs: sweepSeconds * 1_000 };
  const rounds = {
    triggers: await readRounds(scene.temporal, 'triggers', window),
    starts: await readRounds(scene.temporal, 'sweep', window),
  };
  const table = [
    { what: 'turns of schedules without a run', figure: verdict.withoutRun, bar: 0, of: verdict.turns },
    { what: 'runs that did not succeed', figure: verdict.runs - verdict.succeeded, bar: 0, of: verdict.runs },
    {
      what: 'rounds of triggers that were missed',
      figure: rounds.triggers.missed,
      bar: 0,
      of: rounds.triggers.expected,
    },
    { what: 'longest round of triggers, s', figure: rounds.triggers.longestSeconds, bar: sweepSeconds },
    { what: 'rounds of repairs that were missed', figure: rounds.starts.missed, bar: 0, of: rounds.starts.expected },
    { what: 'longest round of repairs, s', figure: rounds.starts.longestSeconds, bar: sweepSeconds },
  ];
  const perRun = Math.round(((busy.total - (idle.total / idle.seconds) * busy.seconds) / verdict.runs) * 1_000);
  const perRound = Math.round(((rounds.triggers.meanSeconds * 1_000) / count) * 10) / 10;
  const cost = {
    cpuMsOfOneRun: perRun,
    msOfOnePipelineInARoundOfTriggers: perRound,
    secondsOfARoundOf10000: Math.round(perRound * 10),
    runsPerHourOfOneCore: Math.round(3_600_000 / perRun),
  };
  console.table(table.map((row) => ({ ...row, reached: row.figure <= row.bar })));
  console.table(cost);
  await writeResult('scale-pipelines', {
    pipelines: count,
    everyMinutes,
    intervals,
    table,
    cost,
    verdict,
    counters,
    rounds,
    idle,
    busy,
    load: machineLoad(),
  });
}

/** Runs are still under way: a server that is too busy is asked again. */
async function pause(client: Client, id: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return void (await client.call('POST', `${PATH}/${id}/schedule/pause`, { note: 'measured' }));
    } catch (err) {
      if (attempt === PAUSE_ATTEMPTS) throw err;
      report(String(err));
      await sleep(1_000);
    }
  }
}

/** The processor time of all processes during a time, in seconds. */
async function cpuWhile(scene: Scene, ms: number) {
  const pids = await scene.pids();
  const [before, at] = [cpuSeconds(pids), performance.now()];
  await sleep(ms);
  const byProcess = since(before, cpuSeconds(pids));
  const total = Object.values(byProcess).reduce((sum, value) => sum + value, 0);
  return { seconds: (performance.now() - at) / 1_000, total, byProcess };
}

async function createProject({ folder, login }: Scene): Promise<void> {
  const code = join(folder, 'code');
  await mkdir(code);
  await writeFile(join(code, 'MLproject'), 'name: bench\nentry_points: {main: {command: "python train.py"}}\n');
  const git = (...args: string[]) => execa('git', args, { cwd: code });
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '.');
  await git('-c', 'user.name=bench', '-c', 'user.email=bench@example.org', 'commit', '--quiet', '-m', 'project');
  await (await login()).create('/connection', 'code', { type: 'git', uri: code, reference: 'main' });
}

/** Trains once; every later run finds that it need not. */
async function runFirst(client: Client): Promise<void> {
  await client.create('/model/pipeline', 'first', specOf(false));
  await client.call('POST', `${PATH}/first/run`, {});
  for (;;) {
    await sleep(1_000);
    const { status } = (
      await client.call<{ status: { state: string; message?: string } }>('GET', `${PATH}/first/run/1`)
    ).body;
    if (status.state === 'succeeded') return;
    if (status.state === 'failed') throw new Error(`the first run failed: ${status.message}`);
  }
}

function specOf(triggered: boolean): object {
  const schedule = { cron: `*/${everyMinutes} * * * *`, jitterSeconds: Math.floor((everyMs / 1_000) * 0.9) };
  return {
    version: '1',
    training: {
      model: { name: 'scale', version: '1' },
      toolchain: 'ml-toolchain',
      algorithmSource: { vcs: { connection: 'code' } },
    },
    ...(triggered && { triggers: { schedule, feedback: { records: 1_000_000 } } }),
  };
}
