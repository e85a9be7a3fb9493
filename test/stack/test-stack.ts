import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findOnPath } from '../../stack/executables.js';
import type { ServiceName } from '../../stack/service.js';
import { ensurePackages } from '../../stack/packages.js';
import { podman } from '../../stack/podman.js';
import { stackStatus, startStack, stopStack } from '../../stack/stack.js';
import { findTestPortBase } from './port-base.js';
import { signalProcess } from './signal-process.js';

/** The stacks of the tests, beside the developer's own `.slipway`: one is shared, one is for tests that kill services. */
const STATE_DIRS = {
  shared: join(import.meta.dirname, '..', '..', '.slipway-test'),
  faults: join(import.meta.dirname, '..', '..', '.slipway-test', 'faults'),
} as const;
/** The stack of this process, chosen by the global setup. */
export const TEST_STACK = process.env.TEST_STACK === 'faults' ? 'faults' : 'shared';
export const STATE_DIR = STATE_DIRS[TEST_STACK];
/** The environment of a user who has no service elsewhere. */
export const OWN = { PATH: process.env.PATH, XDG_CACHE_HOME: process.env.XDG_CACHE_HOME };
// The console of a test runner would add its own lines.
const report = (line: string) => void process.stderr.write(`${line}\n`);

/** Finds the browser of the page tests, or installs it. @returns the path of its command */
export async function ensureChromium(): Promise<string> {
  return process.env.CHROMIUM || ensureTool('chromium', 'the tests of the pages');
}

/** Finds a command, or installs it from the Debian package of its name. @returns its path */
export async function ensureTool(command: string, part: string): Promise<string> {
  const environment = process.env;
  await mkdir(join(STATE_DIR, 'logs'), { recursive: true });
  const wanted = { commands: [command], packages: [command], part };
  const { signal } = new AbortController();
  await ensurePackages(wanted, { environment, stateDir: STATE_DIR }, { signal, say: report });
  return (await findOnPath(command, environment.PATH)) ?? command;
}

/** Starts the stack of the tests, or attaches to it; it outlives the test runner, and `npm test` stops it at its end. */
export async function startTestStack(): Promise<Record<string, string>> {
  return startStack({ stateDir: STATE_DIR, portBase: await choosePortBase(), environment: process.env, report });
}

/** Stops every stack of the tests. */
export async function stopTestStack(): Promise<void> {
  for (const stateDir of Object.values(STATE_DIRS)) {
    await podman(stateDir, 'kill', '--all'); // a stop leaves trainings running
    await stopStack({ stateDir, report });
  }
}

/** Returns the ports of the last run, so that services which still run on them are found again. */
export async function choosePortBase(): Promise<number> {
  const file = join(STATE_DIR, 'port-base');
  const kept = Number(await readFile(file, 'utf8').catch(() => 0));
  if (kept) return kept;
  const base = await findTestPortBase();
  await mkdir(STATE_DIR, { recursive: true });
  await writeFile(file, String(base));
  return base;
}

/** Sends a signal to a service of the test stack. */
export async function signalService(name: ServiceName, signal: NodeJS.Signals): Promise<void> {
  const found = (await stackStatus({ stateDir: STATE_DIR })).find((service) => service.name === name);
  if (found?.pid === undefined) throw new Error(`${name} does not run`);
  await signalProcess(found.pid, signal);
}

/** Kills a service, as a crash would. */
export const killService = (name: ServiceName): Promise<void> => signalService(name, 'SIGKILL');

/** Starts it again on its port, with its data. */
export const startService = (name: ServiceName): Promise<void> => startServices([name]);

/** Starts services of the test stack again, by default all. */
export async function startServices(only?: readonly ServiceName[]): Promise<void> {
  await startStack({ stateDir: STATE_DIR, portBase: await choosePortBase(), environment: OWN, only, report });
}
