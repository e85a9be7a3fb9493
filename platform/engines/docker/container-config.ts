import type { ContainerCreateOptions } from 'dockerode';
import type { ContainerSpec } from '../driver.js';
import { fullImageReference } from '../image-reference.js';
import type { EngineContext } from './context.js';
import { toEngineLabels } from './labels.js';

const DEFAULT_USER = '10001:0';
const DEFAULT_PIDS = 512;
// Both or none: podman without CAP_SYS_RESOURCE fails on one alone, and on values above the host's hard limits.
const ULIMITS = [
  { Name: 'nofile', Soft: 4096, Hard: 4096 },
  { Name: 'nproc', Soft: 8192, Hard: 8192 },
];
/**
 * The limit of an engine's own copy of a container's output; the platform's copy has another. Podman takes the name for
 * its k8s-file, and has no second file: it begins again when the first is full.
 */
const LOG = { Type: 'json-file', Config: { 'max-size': '128m', 'max-file': '2' } };

interface Placement {
  /** Name of the network, or `none`. */
  network: string;
  cpus: number;
  digest: string;
}

/** The complete configuration of a container; the strict settings are here and nowhere else. */
export function containerConfig(
  context: Pick<EngineContext, 'installation'>,
  spec: ContainerSpec,
  { network, cpus, digest }: Placement,
): ContainerCreateOptions {
  const { memoryBytes, pids = DEFAULT_PIDS } = spec.limits;
  const ports = (spec.publish ?? []).map((port) => `${port}/tcp`);
  return {
    name: spec.name,
    Image: fullImageReference(spec.image),
    Hostname: spec.name,
    ...(spec.entrypoint && { Entrypoint: [...spec.entrypoint] }),
    Cmd: [...spec.command],
    Env: Object.entries(spec.env).map(([name, value]) => `${name}=${value}`),
    WorkingDir: spec.workingDir,
    User: spec.user ?? DEFAULT_USER,
    Labels: toEngineLabels(context, { ...spec.labels, spec: digest }),
    Volumes: Object.fromEntries((spec.volumes ?? []).map((path) => [path, {}])),
    ExposedPorts: Object.fromEntries(ports.map((port) => [port, {}])),
    HostConfig: {
      NetworkMode: network,
      // Port "" lets the engine pick.
      PortBindings: Object.fromEntries(ports.map((port) => [port, [{ HostIp: '127.0.0.1', HostPort: '' }]])),
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      Init: false,
      PidsLimit: pids,
      Memory: memoryBytes,
      // The same number means no swap; unset would mean twice the memory.
      MemorySwap: memoryBytes,
      NanoCpus: Math.round(cpus * 1e9),
      Ulimits: ULIMITS,
      LogConfig: LOG,
      RestartPolicy: { Name: '' },
    },
  };
}
