import type Docker from 'dockerode';
import type { HostFacts } from './host.js';
import type { MemoryTrace } from './memory.js';

/** State that the files of the driver share. */
export interface EngineContext {
  docker: Docker;
  /** Label that keeps two installations on one engine apart. */
  installation?: string;
  /** `host` for the images of the embedded stack alone, whose lines are our own. */
  buildNetwork: 'none' | 'host';
  /** How often a wait looks again, and how often it notes the use of memory. */
  pollMs: number;
  /** How long a container may be there after its removal. */
  goneMs: number;
  /** How long the engine may send nothing of an archive that it has begun to send. */
  idleMs: number;
  warn: (message: string) => void;
  /** Facts of the engine's host; read once. */
  host: () => Promise<HostFacts>;
  /** Use of memory seen per container id. */
  memory: Map<string, MemoryTrace>;
}
