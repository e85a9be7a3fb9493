import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { identify } from './process-identity.js';

/** A detached process as later commands find it, kept in `<stateDir>/run/<service>.json`. */
const ProcessRecord = z.object({
  pid: z.int().positive(),
  identity: z.string(),
  /** Digest of command, arguments, environment and inputs: a process started with others is replaced. */
  fingerprint: z.string(),
});
export type ProcessRecord = z.infer<typeof ProcessRecord>;

/** The living process of a service, if it is the very one that was started from this folder. */
export async function findProcess(stateDir: string, name: string): Promise<ProcessRecord | undefined> {
  const record = await readRecord(stateDir, name);
  return record && (await isAlive(record)) ? record : undefined;
}

/** Whether the process of a service ended by itself. A stop removes the record, so it is no such end. */
export async function hasDied(stateDir: string, name: string): Promise<boolean> {
  const record = await readRecord(stateDir, name);
  return record !== undefined && !(await isAlive(record));
}

const isAlive = async ({ pid, identity }: ProcessRecord): Promise<boolean> => (await identify(pid)) === identity;

async function readRecord(stateDir: string, name: string): Promise<ProcessRecord | undefined> {
  const text = await readFile(fileOf(stateDir, name), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : parseRecord(text);
}

export async function writeRecord(stateDir: string, name: string, record: ProcessRecord): Promise<void> {
  const file = fileOf(stateDir, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(`${file}.new`, JSON.stringify(record));
  await rename(`${file}.new`, file);
}

export async function removeRecord(stateDir: string, name: string): Promise<void> {
  await rm(fileOf(stateDir, name), { force: true });
}

function parseRecord(text: string): ProcessRecord | undefined {
  try {
    return ProcessRecord.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // cut short by a full disk: no process can be claimed by it
  }
}

function fileOf(stateDir: string, name: string): string {
  return join(stateDir, 'run', `${name}.json`);
}
