import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainerInspectInfo, ContainerStats } from 'dockerode';
import type { Handle, Stats } from '../driver.js';
import type { EngineContext } from './context.js';
import { inspectContainer } from './inspect.js';
import { call } from './errors.js';
import { isFull, noteMemory, traceFrom } from './memory.js';

/** As fast as one thread of Python gets new pages. */
const FILL_BYTES_PER_MS = 2e6;
const MIN_WATCH_MS = 20;
const MAX_WATCH_MS = 500;

/** @returns `undefined` when the container does not run */
export async function readStats(context: EngineContext, { name }: Handle): Promise<Stats | undefined> {
  const container = context.docker.getContainer(name);
  const read = () => container.stats({ stream: false, 'one-shot': true });
  const stats: Partial<ContainerStats> | undefined = await call(`measure container "${name}"`, read, {
    fine: [404, 409],
  });
  // Docker answers zeros for a stopped container, podman an empty body.
  const memory = stats?.memory_stats;
  if (!memory?.usage) return undefined;
  // Not in the types: Docker names it `id`, podman `Id`.
  const { id, Id = id ?? name } = stats as { id?: string; Id?: string };
  const trace = noteMemory(context.memory.get(Id), { bytes: memory.usage, atMs: Date.parse(stats?.read ?? '') });
  context.memory.set(Id, trace);
  return {
    cpuSeconds: (stats?.cpu_stats?.cpu_usage.total_usage ?? 0) / 1e9,
    memoryBytes: memory.usage,
    peakMemoryBytes: Math.max(trace.peak.bytes, memory.max_usage ?? 0),
  };
}

/**
 * Notes the use of memory until it was full once or `signal` aborts: what `wasOutOfMemory` needs where the engine says
 * nothing. It looks again before a program could have filled the rest.
 */
export async function watchMemory(context: EngineContext, handle: Handle, signal: AbortSignal): Promise<void> {
  const { podman, cgroupVersion } = await context.host();
  if (!podman || cgroupVersion !== '1') return;
  const info = await inspectContainer(context, handle.name);
  if (info === undefined) return;
  beginTrace(context, info);
  const limit = info.HostConfig.Memory ?? 0;
  while (!signal.aborted) {
    // A container between two states gives errors that do not matter here.
    const peak = (await readStats(context, handle).catch(() => undefined))?.peakMemoryBytes ?? 0;
    if (isFull(peak, limit)) return;
    const waitMs = Math.min(Math.max((limit - peak) / FILL_BYTES_PER_MS, MIN_WATCH_MS), MAX_WATCH_MS);
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
  }
}

function beginTrace({ memory }: EngineContext, { Id, State }: ContainerInspectInfo): void {
  const startedMs = Date.parse(State.StartedAt);
  if (memory.has(Id) || !(startedMs > 0)) return; // one that has not started has the year 1
  memory.set(Id, traceFrom(startedMs));
}
