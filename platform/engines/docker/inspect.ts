import type { ContainerInspectInfo } from 'dockerode';
import type { EngineContext } from './context.js';
import { callWithoutGhosts } from './ghosts.js';

/** @returns undefined where there is no such container, or where it had lost its storage and was removed */
export function inspectContainer(context: EngineContext, name: string): Promise<ContainerInspectInfo | undefined> {
  const inspect = () => context.docker.getContainer(name).inspect();
  return callWithoutGhosts(context, `inspect container "${name}"`, inspect, { fine: [404] });
}
