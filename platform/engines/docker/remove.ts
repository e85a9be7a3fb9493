import { setTimeout as sleep } from 'node:timers/promises';
import { unavailable } from '../../kinds/errors.js';
import type { EngineContext } from './context.js';
import { call } from './errors.js';
import { inspectContainer } from './inspect.js';
import { removeOwnNetwork } from './networks.js';

/**
 * Removes a container with its volumes and its network; an absent one is removed already.
 * @throws unavailable when the engine does not get it away in time
 */
export async function removeContainer(context: EngineContext, name: string): Promise<void> {
  const container = context.docker.getContainer(name);
  const found = await inspectContainer(context, name);
  // Podman kills no frozen process.
  if (found?.State.Paused) {
    await call(`unpause container "${name}"`, () => container.unpause(), { fine: [404, 409, 500] });
  }
  // 409: another call removes it at this moment.
  await call(`remove container "${name}"`, () => container.remove({ force: true, v: true }), { fine: [404, 409] });
  if (found) await untilGone(context, name, found.Id);
  try {
    await removeOwnNetwork(context, name);
  } catch (err) {
    // Another call made a container of this name again; the network belongs to that one now.
    if (!(await inspectContainer(context, name))) throw err;
  }
}

async function untilGone(context: EngineContext, name: string, id: string): Promise<void> {
  const { pollMs, goneMs, memory } = context;
  for (const deadline = Date.now() + goneMs; (await inspectContainer(context, name))?.Id === id;) {
    if (Date.now() > deadline) throw unavailable(`the container engine does not remove container "${name}"`);
    await sleep(pollMs);
  }
  memory.delete(id);
}
