import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { stackStatus } from '../../stack/stack.js';
import { choosePortBase, OWN, startServices, STATE_DIR } from '../stack/test-stack.js';
import { placeWorkflowBundle } from '../stack/workflow-bundle.js';
import { until } from './until.js';

const PROJECT = join(import.meta.dirname, '..', '..');

beforeAll(() => placeWorkflowBundle(STATE_DIR));
beforeEach(() => startServices(), 600_000);
afterAll(() => startServices(), 600_000);

interface Started {
  npm: ChildProcess;
  /** The pid of start.ts. */
  supervisor: number;
  /** The pids of npm and everything below it. */
  processes: number[];
  services: number[];
}

/** Runs `npm start` on the stack of these tests until it is up. */
async function startByNpm(): Promise<Started> {
  const environment = { HOME: process.env.HOME, SLIPWAY_STATE_DIR: STATE_DIR, SLIPWAY_WORKER_INTERNAL_PORT: '' };
  const npm = spawn('npm', ['start'], {
    cwd: PROJECT,
    env: { ...OWN, ...environment, SLIPWAY_PORT_BASE: String(await choosePortBase()) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (chunk: Buffer) => (text += String(chunk)));
  await until('the platform to be up', async () => {
    if (npm.exitCode !== null) throw new Error(text);
    return text.includes('Slipway is up');
  });
  const processes = await familyOf(npm.pid ?? 0);
  const services = (await stackStatus({ stateDir: STATE_DIR })).flatMap(({ pid }) => pid ?? []);
  onTestFinished(() => [...processes, ...services].forEach(kill));
  return { npm, supervisor: processes[1] ?? 0, processes, services };
}

/** A process and those below it. */
async function familyOf(pid: number): Promise<number[]> {
  const { stdout } = await execa('ps', ['-e', '-o', 'pid=,ppid=']);
  const rows = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  const below = (parent: number): number[] =>
    rows.flatMap(([child = 0, its]) => (its === parent ? [child, ...below(child)] : []));
  return [pid, ...below(pid)];
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
function kill(pid: number): void {
  if (isAlive(pid)) process.kill(pid, 'SIGKILL');
}
const survivors = (pids: number[]) => pids.filter(isAlive);
const untilGone = (pids: number[]) =>
  until('all to be gone', async () => survivors(pids).length === 0, { seconds: 60 }).catch(() => undefined);

test.each(['SIGTERM', 'SIGHUP'] as const)(
  '%s to npm alone ends every process and every service of the platform',
  async (signal) => {
    const { npm, processes, services } = await startByNpm();
    expect([processes.length >= 6, services.length >= 5]).toEqual([true, true]);
    npm.kill(signal);
    await untilGone([...processes, ...services]);
    expect(survivors([...processes, ...services])).toEqual([]);
  },
  600_000,
);

test('the kill of the supervisor ends its processes; the services wait for the next start', async () => {
  const { npm, supervisor, processes, services } = await startByNpm();
  const ended = once(npm, 'exit');
  process.kill(supervisor, 'SIGKILL');
  await ended;
  await untilGone(processes);
  expect(survivors(processes)).toEqual([]);
  expect(survivors(services)).toEqual(services);
}, 600_000);
