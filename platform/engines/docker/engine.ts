import type Docker from 'dockerode';
import type { EngineDriver } from '../driver.js';
import { createArchives } from './archives.js';
import { createContainers } from './containers.js';
import type { EngineContext } from './context.js';
import { createDiskUse } from './disk-use.js';
import { createExec } from './exec.js';
import { rememberHost } from './host.js';
import { createImages } from './images.js';
import { createLogs } from './logs.js';
import { listNetworks } from './networks.js';
import { readStats } from './stats.js';

export interface DockerEngineOptions {
  docker: Docker;
  /** Label of every container of this installation; `find` sees no others. */
  installation?: string;
  /** Network of builds; default `none`. Nothing that a user names may be built with another one. */
  buildNetwork?: 'none' | 'host';
  pollMs?: number;
  /** How long a container may be there after its removal. */
  goneMs?: number;
  /** How long the engine may send nothing of an archive that it has begun to send. */
  idleMs?: number;
  /** Called with each limit that the engine's host cannot give. */
  warn?: (message: string) => void;
}

/** The engine driver over the Docker API: Docker itself, or podman's service. */
export function createDockerEngine({
  docker,
  installation,
  buildNetwork = 'none',
  pollMs = 250,
  goneMs = 60_000,
  idleMs = 300_000,
  warn = () => undefined,
}: DockerEngineOptions): EngineDriver {
  const host = rememberHost(docker);
  const common = { docker, installation, buildNetwork, pollMs, goneMs, idleMs, warn, host };
  const context: EngineContext = { ...common, memory: new Map() };
  return {
    async info() {
      const { podman: _, ...info } = await host();
      return info;
    },
    ...createImages(context),
    ...createContainers(context),
    ...createArchives(context),
    ...createExec(context),
    ...createLogs(context),
    ...createDiskUse(context),
    networks: () => listNetworks(context),
    stats: (handle) => readStats(context, handle),
  };
}
