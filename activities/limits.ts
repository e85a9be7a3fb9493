import type { ContainerSpec } from '../engines/driver.js';
import { toBytes, toMillicpu } from '../resources/quantity.js';
import type { ResourceRequirements } from '../resources/resource-requirements.js';

/** Hard limits of a container; what a spec leaves out is bounded all the same. */
export function containerLimits({ limits }: ResourceRequirements): ContainerSpec['limits'] {
  return { cpus: toMillicpu(limits.cpu ?? '2') / 1_000, memoryBytes: Number(toBytes(limits.memory ?? '2Gi')) };
}
