import type { ContainerInspectInfo } from 'dockerode';
import type { ContainerState } from '../driver.js';
import { type MemoryTrace, wasOutOfMemory } from './memory.js';

const NEVER_STARTED = ['created', 'configured', 'initialized'];

/** @param memory what was seen of it while it ran */
export function toContainerState(info: ContainerInspectInfo, memory?: MemoryTrace): ContainerState {
  const { State: state, HostConfig: host } = info;
  // A start that failed leaves `created` with exit code 0 or 127: neither is the exit of a program.
  if (NEVER_STARTED.includes(state.Status)) return { phase: 'created' };
  // Podman says of a container that it ends right now: not running, exit code 0. That comes before the true code.
  if (state.Running || state.Paused || state.Status === 'stopping') {
    return { phase: state.Paused ? 'paused' : 'running', startedAt: state.StartedAt, ports: publishedPorts(info) };
  }
  const finishedMs = Date.parse(state.FinishedAt);
  return {
    phase: 'exited',
    startedAt: state.StartedAt,
    finishedAt: state.FinishedAt,
    exitCode: state.ExitCode,
    outOfMemory:
      state.OOMKilled || wasOutOfMemory(memory, { exitCode: state.ExitCode, limit: host.Memory, finishedMs }),
    ...(state.Error ? { error: state.Error } : {}),
  };
}

/** Container port to `host:port` on the engine's host. */
function publishedPorts({ NetworkSettings }: ContainerInspectInfo): Record<number, string> {
  // Null for a port that is exposed and not published, whatever the types say.
  const ports = Object.entries(
    (NetworkSettings.Ports ?? {}) as Record<string, { HostIp: string; HostPort: string }[] | null>,
  );
  return Object.fromEntries(
    ports.flatMap(([port, bindings]) =>
      (bindings ?? []).slice(0, 1).map(({ HostIp, HostPort }) => [Number.parseInt(port, 10), `${HostIp}:${HostPort}`]),
    ),
  );
}
