import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainerStats } from 'dockerode';
import type { Handle, Stats } from '../driver.js';
import type { EngineContext } from './context.js';
import { call } from './errors.js';

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
  const peak = Math.max(context.peaks.get(Id) ?? 0, memory.max_usage ?? 0, memory.usage);
  context.peaks.set(Id, peak);
  return {
    cpuSeconds: (stats?.cpu_stats?.cpu_usage.total_usage ?? 0) / 1e9,
    memoryBytes: memory.usage,
    peakMemoryBytes: peak,
  };
}

/** Notes the use of memory until `signal`: what the rule about exit 137 needs where the engine keeps no peak. */
export async function watchMemory(context: EngineContext, handle: Handle, signal: AbortSignal): Promise<void> {
  if ((await context.host()).cgroupVersion !== '1') return;
  while (!signal.aborted) {
    // A container between two states gives errors that do not matter here.
    await readStats(context, handle).catch(() => undefined);
    await sleep(context.pollMs, undefined, { signal }).catch(() => undefined);
  }
}
