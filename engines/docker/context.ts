import type Docker from 'dockerode';
import type { HostFacts } from './host.js';

/** What the files of the driver share. */
export interface EngineContext {
  docker: Docker;
  /** Label that keeps two installations on one engine apart. */
  installation?: string;
  /** Network of containers with `network: 'isolated'` where one shared network keeps them apart. */
  networkName: string;
  /** How often a wait looks again, and how often it notes the use of memory. */
  pollMs: number;
  warn: (message: string) => void;
  /** Facts of the engine's host; read once. */
  host: () => Promise<HostFacts>;
  /** Highest memory seen per container id: cgroup v1 through podman keeps no peak of its own. */
  peaks: Map<string, number>;
}
