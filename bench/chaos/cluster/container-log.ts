import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectDocker } from '../../../platform/engines/docker/connect.js';

/** One start of a container, as the engine itself tells it. */
export interface ContainerStart {
  /** The name of the container, which is also the name of its host. */
  container: string;
  kind: string;
  /** The id of the resource. */
  id: string;
  generation: number;
  part?: string;
  /** In milliseconds. */
  at: number;
}

interface Event {
  Actor?: { Attributes: Record<string, string> };
  timeNano?: number;
}

export type ContainerLog = Awaited<ReturnType<typeof followContainers>>;

const REOPEN_MS = 200;

/**
 * Follows the starts of all containers of an engine, on a connection that no fault concerns. Podman ends the stream of its
 * events when it reads its own log during a rotation: the stream is opened again, from the last event on.
 */
export async function followContainers(host: string) {
  const docker = connectDocker(host);
  const starts: ContainerStart[] = [];
  const seen = new Set<string>();
  let failure: Error | undefined;
  let isClosed = false;
  let current: Readable | undefined;
  let lastNano = Date.now() * 1e6;

  const note = (line: string): void => {
    const { Actor, timeNano = 0 } = JSON.parse(line) as Event;
    lastNano = Math.max(lastNano, timeNano);
    const { name = '', ...labels } = Actor?.Attributes ?? {};
    const of = (label: string): string | undefined => labels[`slipway.${label}`];
    const [kind, id, part] = [of('kind'), of('id'), of('part')];
    if (kind === undefined || id === undefined) return;
    // Podman tells every event of its log again when the log is rotated or the stream is opened again.
    if (seen.has(`${name} ${timeNano}`)) return;
    seen.add(`${name} ${timeNano}`);
    const at = Math.round(timeNano / 1e6);
    starts.push({ container: name, kind, id, generation: Number(of('generation')), ...(part && { part }), at });
  };
  const open = async (since?: number): Promise<Readable> => {
    const filters = JSON.stringify({ type: ['container'], event: ['start'] });
    return (await docker.getEvents({ filters, ...(since !== undefined && { since }) })) as Readable;
  };
  /** Reads a stream to its end, however it ends. */
  const readAll = async (stream: Readable): Promise<void> => {
    const lines = createInterface({ input: stream });
    stream.on('error', () => lines.close()); // a line reader does not hear of it
    for await (const line of lines) note(line);
  };
  const follow = async (first: Readable): Promise<void> => {
    for (let stream = first; !isClosed; stream = await open(Math.floor(lastNano / 1e9) - 1)) {
      current = stream;
      await readAll(stream);
      await sleep(REOPEN_MS);
    }
  };
  follow(await open()).catch((err: Error) => (failure = err));
  return {
    /** @throws when a start may be missing */
    all(): readonly ContainerStart[] {
      if (failure !== undefined && !isClosed) throw failure;
      return starts;
    },
    close(): void {
      isClosed = true;
      current?.destroy();
    },
  };
}
