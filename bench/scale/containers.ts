import { randomUUID } from 'node:crypto';
import type { ContainerCreateOptions } from 'dockerode';

/** The behaviour of a container, and the files of its image. */
export interface Program {
  /** From its start; endless without it. */
  lastsMs?: number;
  lines: readonly string[];
  /** Archives by the path in the container. */
  outputs: Readonly<Record<string, Promise<Buffer>>>;
}

export type ProgramOf = (container: Pick<Container, 'name' | 'config'>) => Program;

/** A container without a process. */
export interface Container {
  id: string;
  name: string;
  config: ContainerCreateOptions;
  status: 'created' | 'running' | 'exited';
  startedAt: string;
  finishedAt: string;
  exitCode: number;
  program: Program;
  /** The loopback address that its published ports have. */
  address: string;
  ended: Promise<void>;
  settle: () => void;
}

const NEVER = '0001-01-01T00:00:00Z';

/** The containers of the engine: each has a loopback address of its own, so that one server answers for all. */
export function createContainers(programOf: ProgramOf) {
  const byName = new Map<string, Container>();
  const byAddress = new Map<string, Container>();
  let port = 0;

  function end(container: Container, exitCode: number): void {
    if (container.status === 'exited') return;
    Object.assign(container, { status: 'exited', exitCode, finishedAt: new Date().toISOString() });
    container.settle();
  }

  return {
    end,
    /** The port at which the replicas answer. */
    listenAt: (at: number): void => void (port = at),
    get: (name: string) => byName.get(name),
    at: (address: string) => byAddress.get(address),
    get size(): number {
      return byName.size;
    },

    add(name: string, config: ContainerCreateOptions): Container {
      let settle = (): void => {};
      const ended = new Promise<void>((resolve) => (settle = resolve));
      const number = byAddress.size + 1;
      const address = `127.${64 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;
      const times = { startedAt: NEVER, finishedAt: NEVER, exitCode: 0 };
      const container: Container = {
        ...{ id: randomUUID(), name, config, status: 'created', ...times },
        ...{ program: programOf({ name, config }), address, ended, settle },
      };
      byName.set(name, container);
      byAddress.set(address, container);
      return container;
    },

    start(container: Container): void {
      if (container.status !== 'created') return;
      Object.assign(container, { status: 'running', startedAt: new Date().toISOString() });
      const { lastsMs } = container.program;
      if (lastsMs !== undefined) setTimeout(() => end(container, 0), lastsMs);
    },

    remove(container: Container): void {
      end(container, 137);
      byName.delete(container.name);
    },

    list: (labels: readonly string[]) =>
      [...byName.values()]
        .filter(({ config }) =>
          labels.every((label) =>
            Object.entries(config.Labels ?? {})
              .map(toLabel)
              .includes(label),
          ),
        )
        .map(({ id, name, config, status }) => ({ Id: id, Names: [`/${name}`], Labels: config.Labels, State: status })),

    inspect: ({ id, name, config, status, startedAt, finishedAt, exitCode, address }: Container) => ({
      Id: id,
      Name: `/${name}`,
      Config: { Labels: config.Labels },
      HostConfig: { Memory: config.HostConfig?.Memory },
      Mounts: Object.keys(config.Volumes ?? {}).map((Destination) => ({ Destination })),
      State: {
        ...{ Status: status, Running: status === 'running', Paused: false, OOMKilled: false, Error: '' },
        ...{ StartedAt: startedAt, FinishedAt: finishedAt, ExitCode: exitCode },
      },
      NetworkSettings: {
        Ports: Object.fromEntries(
          Object.keys(config.ExposedPorts ?? {}).map((exposed) => [
            exposed,
            status === 'running' ? [{ HostIp: address, HostPort: String(port) }] : null,
          ]),
        ),
      },
    }),
  };
}

const toLabel = ([key, value]: [string, string]): string => `${key}=${value}`;
