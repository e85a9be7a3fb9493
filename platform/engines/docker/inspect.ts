import type { ContainerInspectInfo } from 'dockerode';
import type { EngineContext } from './context.js';
import { call } from './errors.js';

/** @returns undefined where there is no such container */
export function inspectContainer({ docker }: EngineContext, name: string): Promise<ContainerInspectInfo | undefined> {
  return call(`inspect container "${name}"`, () => docker.getContainer(name).inspect(), { fine: [404] });
}
