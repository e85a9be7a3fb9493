import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Readable } from 'node:stream';
import type {
  ContainerSpec,
  ContainerState,
  EngineDriver,
  Handle,
  ImageFacts,
} from '../../../platform/engines/driver.js';
import { refused } from '../../../platform/engines/refusal.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import type { LogLine } from '../../../platform/kinds/log.js';

/** A container that exists only as what is known of it; a test plays the program in it. */
export interface MemoryContainer {
  spec: ContainerSpec;
  state: ContainerState;
  lines: LogLine[];
  /** The archives put in: path and bytes. */
  archives: { path: string; bytes: Buffer }[];
  /** Answers of `getArchive` by path. */
  outputs: Record<string, Buffer>;
  starts: number;
  stops: number;
}

const IMAGE: ImageFacts = { id: 'sha256:1', digests: [], labels: {}, env: [], sizeBytes: 1, layers: [], createdAt: '' };

interface MemoryEngineOptions {
  onStart?: (container: MemoryContainer) => void;
  exec?: typeof noAnswer;
  /** The registry takes what is pushed. */
  onPush?: (ref: string) => Promise<unknown>;
  /** Answers of `getArchive` in every container. */
  outputs?: Record<string, Buffer>;
}

/** The part of an engine that activities use, in memory. */
export function createMemoryEngine({
  onStart = () => {},
  onPush = async () => undefined,
  exec = noAnswer,
  outputs = {},
}: MemoryEngineOptions = {}) {
  const containers = new Map<string, MemoryContainer>();
  const images = new Map<string, ImageFacts>();
  const removed: string[] = [];
  const pulls: { ref: string; auth: unknown }[] = [];
  const pushes: { ref: string; auth: unknown }[] = [];
  const find = ({ name }: Handle): MemoryContainer => {
    const found = containers.get(name);
    if (found === undefined) throw new SlipwayError('not_found', `container "${name}" is not found`);
    return found;
  };
  const unused = async (): Promise<never> => {
    throw new SlipwayError('internal', 'no activity under test calls this');
  };

  const engine: EngineDriver = {
    info: unused,
    stats: async () => undefined,
    diskBytes: async () => 0,
    pause: async (handle) => change(find(handle), 'running', 'paused'),
    unpause: async (handle) => change(find(handle), 'paused', 'running'),
    tag: async () => undefined,
    removeImage: unused,
    build: unused,
    push: async (ref, auth) => {
      pushes.push({ ref, auth });
      await onPush(ref);
      return { digest: 'sha256:1' };
    },
    ensureImage: async (ref, auth) => {
      pulls.push({ ref, auth });
      return images.get(ref) ?? IMAGE;
    },
    inspectImage: async (ref) => images.get(ref),
    create: async (spec) => {
      const existed = containers.has(spec.name);
      const fresh = { lines: [], archives: [], outputs: { ...outputs }, starts: 0, stops: 0 };
      if (!existed) containers.set(spec.name, { spec, state: { phase: 'created' }, ...fresh });
      return { handle: { name: spec.name }, existed };
    },
    putArchive: async (handle, path, tar) => {
      find(handle).archives.push({ path, bytes: tar instanceof Readable ? await buffer(tar) : tar });
    },
    getArchive: async (handle, path) => {
      const bytes = containers.get(handle.name)?.outputs[path];
      if (bytes === undefined) throw refused(`no "${path}" in container`, { reason: 'ArtifactNotFound' });
      return Readable.from([bytes]);
    },
    start: async (handle) => {
      const container = find(handle);
      if (container.state.phase === 'running') return;
      container.state = { phase: 'running', startedAt: new Date().toISOString(), ports: {} };
      container.starts += 1;
      onStart(container);
    },
    state: async ({ name }) => containers.get(name)?.state,
    wait: async ({ name }, signal) => {
      for (;;) {
        const state = containers.get(name)?.state;
        if (state === undefined || state.phase === 'exited') return state;
        await sleep(2, undefined, { signal });
      }
    },
    exec: async (_handle, command) => exec(command),
    async *logs(handle, { from, follow, signal }) {
      const container = find(handle);
      let next = from === undefined ? 0 : container.lines.findIndex(({ at }) => at > from.at);
      if (next < 0) next = container.lines.length;
      for (;;) {
        for (; next < container.lines.length; next += 1) {
          const line = container.lines[next];
          if (line) yield line;
        }
        if (!follow || signal?.aborted || container.state.phase === 'exited') return;
        await sleep(2);
      }
    },
    find: async (labels) =>
      [...containers.values()]
        .filter(({ spec }) => Object.entries(labels).every(([key, value]) => spec.labels[key] === value))
        .map(({ spec, state }) => ({ name: spec.name, labels: spec.labels, running: state.phase === 'running' })),
    stop: async (handle) => {
      const container = containers.get(handle.name);
      if (container?.state.phase !== 'running' && container?.state.phase !== 'paused') return;
      container.stops += 1;
      end(container, 143);
    },
    remove: async ({ name }) => {
      const container = containers.get(name);
      if (container === undefined) return;
      end(container, 137);
      containers.delete(name);
      removed.push(name);
    },
  };
  return { engine, containers, images, removed, pulls, pushes, container: (name: string) => find({ name }) };
}

async function noAnswer(_command: readonly string[]): Promise<{ exitCode: number; output: string }> {
  return { exitCode: 1, output: '' };
}

function change(container: MemoryContainer, from: 'running' | 'paused', to: 'running' | 'paused'): void {
  const { state } = container;
  if (state.phase === from) container.state = { ...state, phase: to };
}

/** The program ends. */
export function end(container: MemoryContainer, exitCode: number, outOfMemory = false): void {
  const startedAt = 'startedAt' in container.state ? container.state.startedAt : new Date().toISOString();
  container.state = { phase: 'exited', startedAt, finishedAt: new Date().toISOString(), exitCode, outOfMemory };
}

/** The program prints; every line has a time of its own. */
export function print(container: MemoryContainer, ...texts: string[]): void {
  for (const text of texts) {
    const at = new Date(Date.UTC(2026, 0, 1) + container.lines.length * 1_000).toISOString();
    container.lines.push({ at, stream: 'stdout', text });
  }
}
