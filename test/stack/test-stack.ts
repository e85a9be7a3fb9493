import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findOnPath } from '../../stack/executables.js';
import type { ServiceName } from '../../stack/service.js';
import { ensurePackages } from '../../stack/packages.js';
import { stackStatus, startStack, stopStack } from '../../stack/stack.js';
import { findTestPortBase } from './port-base.js';

/** Beside the developer's own `.slipway`, and never touching it. */
export const STATE_DIR = join(import.meta.dirname, '..', '..', '.slipway-test');
const PORT_FILE = join(STATE_DIR, 'port-base');
// Not by console: jest would put a trace under each line.
const report = (line: string) => void process.stderr.write(`${line}\n`);

/** The browser of the tests of pages, from Debian's packages where it is missing. @returns its command's path */
export async function ensureChromium(): Promise<string> {
  const environment = process.env;
  if (environment.CHROMIUM) return environment.CHROMIUM;
  await mkdir(join(STATE_DIR, 'logs'), { recursive: true });
  const wanted = { commands: ['chromium'], packages: ['chromium'], part: 'the tests of the pages' };
  const { signal } = new AbortController();
  await ensurePackages(wanted, { environment, stateDir: STATE_DIR }, { signal, say: report });
  return (await findOnPath('chromium', environment.PATH)) ?? 'chromium';
}

/** Brings up the stack of the tests, or attaches to it; it outlives jest, and `npm test` stops it at its end. */
export async function startTestStack(): Promise<Record<string, string>> {
  return startStack({ stateDir: STATE_DIR, portBase: await choosePortBase(), environment: process.env, report });
}

export async function stopTestStack(): Promise<void> {
  await stopStack({ stateDir: STATE_DIR, report });
}

/** The ports of the last run as long as they are known, so that what runs on them is found again. */
async function choosePortBase(): Promise<number> {
  const kept = Number(await readFile(PORT_FILE, 'utf8').catch(() => 0));
  if (kept) return kept;
  const base = await findTestPortBase();
  await mkdir(STATE_DIR, { recursive: true });
  await writeFile(PORT_FILE, String(base));
  return base;
}

/** Kills a service of the test stack, as a crash would. */
export async function killService(name: ServiceName): Promise<void> {
  const found = (await stackStatus({ stateDir: STATE_DIR })).find((service) => service.name === name);
  if (found?.pid === undefined) throw new Error(`${name} does not run`);
  process.kill(found.pid, 'SIGKILL');
}

/** Starts it again on its port, with its data. */
export async function startService(name: ServiceName): Promise<void> {
  await startStack({ stateDir: STATE_DIR, portBase: await choosePortBase(), environment: {}, only: [name], report });
}
