import type { ContainerSpec } from '../../platform/engines/driver.js';
import { toBytes, toMillicpu } from '../../platform/kinds/quantity.js';
import type { ResourceRequirements } from '../../platform/kinds/resource-requirements.js';

/** Hard limits of a container; what a spec leaves out is bounded all the same. */
export function containerLimits({ limits }: ResourceRequirements): ContainerSpec['limits'] {
  return { cpus: toMillicpu(limits.cpu ?? '2') / 1_000, memoryBytes: Number(toBytes(limits.memory ?? '2Gi')) };
}
