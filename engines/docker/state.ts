import type { ContainerInspectInfo } from 'dockerode';
import type { ContainerState } from '../driver.js';

const KILLED = 137;
/** Memory that counts as "all of it": cgroup v1 through podman reports no out-of-memory kill. */
const FULL = 0.98;
const NEVER_STARTED = ['created', 'configured', 'initialized'];

/** @param peakBytes highest memory seen while it ran */
export function toContainerState(info: ContainerInspectInfo, peakBytes = 0): ContainerState {
  const { State: state, HostConfig: host } = info;
  // A start that failed leaves `created` with exit code 0 or 127: neither is the exit of a program.
  if (NEVER_STARTED.includes(state.Status)) return { phase: 'created' };
  if (state.Running || state.Paused) {
    return { phase: state.Paused ? 'paused' : 'running', startedAt: state.StartedAt, ports: publishedPorts(info) };
  }
  const full = state.ExitCode === KILLED && isFull(peakBytes, host.Memory);
  return {
    phase: 'exited',
    startedAt: state.StartedAt,
    finishedAt: state.FinishedAt,
    exitCode: state.ExitCode,
    outOfMemory: state.OOMKilled || full,
    ...(state.Error ? { error: state.Error } : {}),
  };
}

/** A limit of 0 is none. */
export function isFull(bytes: number, limit = 0): boolean {
  return limit > 0 && bytes >= FULL * limit;
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
