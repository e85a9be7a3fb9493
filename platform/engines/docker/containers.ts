import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainerState, EngineDriver, Handle } from '../driver.js';
import type { EngineContext } from './context.js';
import { createContainer } from './create.js';
import { call } from './errors.js';
import { callWithoutGhosts } from './ghosts.js';
import { inspectContainer } from './inspect.js';
import { fromEngineLabels, toEngineLabels } from './labels.js';
import { removeContainer } from './remove.js';
import { toContainerState } from './state.js';
import { watchMemory } from './stats.js';

type Containers = Pick<
  EngineDriver,
  'create' | 'start' | 'state' | 'wait' | 'find' | 'pause' | 'unpause' | 'stop' | 'remove'
>;

/** The life of a container, from its name to its removal. */
export function createContainers(context: EngineContext): Containers {
  const { docker, memory, pollMs } = context;

  async function state({ name }: Handle): Promise<ContainerState | undefined> {
    const info = await inspectContainer(context, name);
    return info && toContainerState(info, memory.get(info.Id));
  }

  /** Podman answers 500 to a pause of what is paused, so the phase decides whether to call at all. */
  async function change(handle: Handle, from: ContainerState['phase'], doing: 'pause' | 'unpause'): Promise<void> {
    if ((await state(handle))?.phase !== from) return;
    await call(`${doing} container "${handle.name}"`, () => docker.getContainer(handle.name)[doing](), { fine: [304] });
  }

  const unpause = (handle: Handle): Promise<void> => change(handle, 'paused', 'unpause');

  return {
    create: (spec) => createContainer(context, spec),
    state,
    pause: (handle) => change(handle, 'running', 'pause'),
    unpause,

    async start({ name }) {
      await call(`start container "${name}"`, () => docker.getContainer(name).start(), { fine: [304] });
    },

    async wait(handle, signal) {
      const watching = new AbortController();
      // Best effort: the wait itself reports an engine in trouble.
      const watch = watchMemory(context, handle, AbortSignal.any([signal, watching.signal])).catch(() => undefined);
      try {
        for (;;) {
          const now = await state(handle);
          if (now === undefined || now.phase === 'exited') return now;
          if (now.phase === 'created') await sleep(pollMs, undefined, { signal });
          // Only a hint to look again: podman ends a wait early for a container that is not started.
          else await waitForEngine(handle, signal);
        }
      } finally {
        watching.abort();
        await watch;
      }
    },

    async find(labels) {
      const label = Object.entries(toEngineLabels(context, labels)).map(([key, value]) => `${key}=${value}`);
      const list = () => docker.listContainers({ all: true, filters: { label } });
      const found = await callWithoutGhosts(context, 'list containers', list);
      return (found ?? []).map(({ Names, Labels, State }) => ({
        name: (Names[0] ?? '').replace(/^\//, ''),
        labels: fromEngineLabels(Labels),
        running: State === 'running' || State === 'paused',
      }));
    },

    async stop(handle, graceMs) {
      await unpause(handle);
      const seconds = Math.ceil(graceMs / 1_000);
      await call(`stop container "${handle.name}"`, () => docker.getContainer(handle.name).stop({ t: seconds }), {
        fine: [304, 404],
      });
    },

    remove: ({ name }) => removeContainer(context, name),
  };

  async function waitForEngine({ name }: Handle, signal: AbortSignal): Promise<void> {
    await call(`wait for container "${name}"`, () => docker.getContainer(name).wait({ abortSignal: signal }), {
      fine: [404],
      signal,
    });
  }
}
