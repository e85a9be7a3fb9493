import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { execa } from 'execa';
import { writeResult } from '../report.js';
import { parseCount } from './options.js';
import { readWaits } from './queue-waits.js';
import { machineLoad, report, type Scene, withScene } from './scene.js';

const PATH = '/api/v1/model/training';

const options = new Command('npx tsx bench/scale/trainings.ts')
  .description(
    'Starts many trainings at once, each with an environment of its own that is slow to resolve, and compares their ends. The container engine is a double; queue, slots, limits and workflows are the platform’s.',
  )
  .option('--trainings <count>', 'how many are started', parseCount, 60)
  .option('--resolve-seconds <count>', 'how long the resolution of an environment takes', parseCount, 60)
  .option('--timeout-seconds <count>', 'the limit of a training, which its wait must not use up', parseCount, 30)
  .parse()
  .opts<{ trainings: number; resolveSeconds: number; timeoutSeconds: number }>();

const { trainings, resolveSeconds, timeoutSeconds } = options;
const idOf = (n: number): string => `queued-${n}`;
const folderOf = (n: number): string => `project-${n}`;

const settings = (folder: string): NodeJS.ProcessEnv => ({
  SLIPWAY_LOCAL_REPOSITORIES: folder,
  SLIPWAY_TRAINING_TIMEOUT: String(timeoutSeconds),
});
await withScene({ settings, times: { resolveMs: resolveSeconds * 1_000, trainMs: 2_000 } }, measure);
process.exit();

async function measure(scene: Scene): Promise<void> {
  const connection = await createProjects(scene);
  const client = await scene.login();
  const began = performance.now();
  for (let n = 0; n < trainings; n += 1) await client.call('POST', PATH, trainingOf(n, connection));
  const ended = await untilAllEnd(scene);
  const seconds = Math.round((performance.now() - began) / 1_000);
  const waits = await readWaits(
    scene.temporal,
    Array.from({ length: trainings }, (_, n) => `training/${idOf(n)}`),
  );
  const timeouts = ended.filter(({ status }) => status.reason === 'Timeout').length;
  const succeeded = ended.filter(({ status }) => status.state === 'succeeded').length;
  const table = [
    { what: 'trainings that ended as Timeout', figure: timeouts, bar: 0, reached: timeouts === 0 },
    { what: 'trainings that succeeded', figure: succeeded, bar: trainings, reached: succeeded === trainings },
    { what: 'longest wait of a step for a slot, s', figure: waits.longestSeconds },
    {
      what: 'steps with a limit that counts this wait',
      figure: waits.limited.length,
      bar: 0,
      reached: waits.limited.length === 0,
    },
  ];
  const failures = ended.flatMap(({ id, status }) => (status.state === 'succeeded' ? [] : [{ id, ...status }]));
  console.table(table);
  const figures = { trainings, resolveSeconds, timeoutSeconds, seconds, table, waits, failures, load: machineLoad() };
  console.log(JSON.stringify(figures, null, 2));
  await writeResult('scale-trainings', figures);
}

interface View {
  id: string;
  status: { state: string; reason?: string; message?: string };
}

/** A repository with a project in a folder of its own for each training. @returns the id of its connection */
async function createProjects({ folder, login }: Scene): Promise<string> {
  const code = join(folder, 'code');
  for (let n = 0; n < trainings; n += 1) {
    await mkdir(join(code, folderOf(n)), { recursive: true });
    await writeFile(
      join(code, folderOf(n), 'MLproject'),
      'name: bench\nentry_points: {main: {command: "python train.py"}}\n',
    );
    await writeFile(join(code, folderOf(n), 'train.py'), `print(${n})\n`);
  }
  const git = (...args: string[]) => execa('git', args, { cwd: code });
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '.');
  await git('-c', 'user.name=bench', '-c', 'user.email=bench@example.org', 'commit', '--quiet', '-m', 'projects');
  await (await login()).create('/connection', 'code', { type: 'git', uri: code, reference: 'main' });
  return 'code';
}

function trainingOf(n: number, connection: string): object {
  return {
    id: idOf(n),
    spec: {
      model: { name: idOf(n), version: '1' },
      toolchain: 'ml-toolchain',
      workDir: folderOf(n),
      algorithmSource: { vcs: { connection } },
    },
  };
}

async function untilAllEnd(scene: Scene): Promise<View[]> {
  for (;;) {
    await sleep(5_000);
    const client = await scene.login();
    const { body } = await client.call<View[]>('GET', `${PATH}?size=${trainings}`);
    const ended = body.filter(({ status }) => ['succeeded', 'failed'].includes(status.state));
    report(`${ended.length} of ${trainings} have ended`);
    if (ended.length === trainings) return ended;
  }
}
