import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import tar from 'tar-stream';
import type { ContainerSpec, ContainerState, EngineDriver, Handle } from '../../../platform/engines/driver.js';
import type { LogLine } from '../../../platform/kinds/log.js';

export interface Subject {
  engine: EngineDriver;
  /** An image with a POSIX shell and Python, present on the engine. */
  image: string;
}

export const MIB = 1024 ** 2;
const SUFFIX = randomUUID().slice(0, 8);
const made = new Set<string>();
let count = 0;

/** A spec with a name of its own that runs a shell script. */
export function shell(image: string, script: string, changes: Partial<ContainerSpec> = {}): ContainerSpec {
  const spec: ContainerSpec = {
    name: `slipway-contract-${SUFFIX}-${(count += 1)}`,
    image,
    command: ['sh', '-c', script],
    env: {},
    labels: { kind: 'contract', id: SUFFIX },
    network: 'none',
    limits: { cpus: 1, memoryBytes: 128 * MIB },
    ...changes,
  };
  made.add(spec.name);
  return spec;
}

/** A script that waits until it is released: a machine may be slow to come to the next step of a test. */
export const untilReleased = (image: string, script: string, before = ':'): ContainerSpec =>
  shell(image, `${before}; while [ ! -e /released/go ]; do sleep 0.05; done; ${script}`, { volumes: ['/released'] });

/** Releases a script by a file: a command in the container could be killed by the container's end. */
export async function release({ engine }: Subject, handle: Handle): Promise<void> {
  const archive = tar.pack();
  archive.entry({ name: 'go' }, '');
  archive.finalize();
  await engine.putArchive(handle, '/released', Readable.from(archive));
}

export async function launch({ engine }: Subject, spec: ContainerSpec): Promise<Handle> {
  const { handle } = await engine.create(spec);
  await engine.start(handle);
  return handle;
}

/** Starts a script and reads all that it prints, then how it ended. */
export async function run(
  subject: Subject,
  script: string,
  changes: Partial<ContainerSpec> = {},
): Promise<{ handle: Handle; lines: string[]; end: Extract<ContainerState, { phase: 'exited' }> }> {
  const handle = await launch(subject, shell(subject.image, script, changes));
  const end = await exited(subject, handle);
  return {
    handle,
    lines: (await readAll(subject.engine.logs(handle, { follow: false }))).map(({ text }) => text),
    end,
  };
}

export async function exited(
  { engine }: Subject,
  handle: Handle,
): Promise<Extract<ContainerState, { phase: 'exited' }>> {
  const state = await engine.wait(handle, AbortSignal.timeout(150_000));
  if (state?.phase !== 'exited') throw new Error(`${handle.name} is ${state?.phase ?? 'gone'}`);
  return state;
}

export async function readAll(lines: AsyncIterable<LogLine>): Promise<LogLine[]> {
  const all: LogLine[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

export async function eventually<T>(look: () => Promise<T | undefined>, deadlineMs = 120_000): Promise<T> {
  for (const end = Date.now() + deadlineMs; ; await sleep(50)) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error('waited in vain');
  }
}

export async function removeMade({ engine }: Subject): Promise<void> {
  for (const name of made) await engine.remove({ name });
  made.clear();
}
