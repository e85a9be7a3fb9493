import type Docker from 'dockerode';
import type { EngineInfo } from '../driver.js';
import { refused } from '../refusal.js';
import { call } from './errors.js';

export interface HostFacts extends EngineInfo {
  podman: boolean;
}

/** Facts of the engine. @throws run_failed when it cannot enforce limits: a job could then take the whole machine */
async function readHost(docker: Docker): Promise<HostFacts> {
  // dockerode types the answer of /info as `any`; these are its documented fields.
  const info = (await call('report about itself', () => docker.info())) as {
    NCPU: number;
    MemTotal: number;
    MemoryLimit: boolean;
    CpuCfsQuota: boolean;
    PidsLimit: boolean;
    CgroupVersion?: string;
  };
  const version = await call('report its version', () => docker.version());
  if (!info.MemoryLimit || !info.CpuCfsQuota || !info.PidsLimit) {
    throw refused('container engine enforces no limits of memory, cpu or processes', { reason: 'Internal' });
  }
  const podman = version?.Components?.some(({ Name }) => Name.startsWith('Podman')) ?? false;
  return {
    name: podman ? 'podman' : 'docker',
    version: version?.Version ?? 'unknown',
    cpus: info.NCPU,
    memoryBytes: info.MemTotal,
    cgroupVersion: info.CgroupVersion ?? '1',
    podman,
  };
}

/** Reads once; a failed reading is tried again by the next caller. */
export function rememberHost(docker: Docker): () => Promise<HostFacts> {
  let known: Promise<HostFacts> | undefined;
  return () => {
    known ??= readHost(docker).catch((err: unknown) => {
      known = undefined;
      throw err;
    });
    return known;
  };
}
