import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
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

/** Follows the starts of all containers of an engine, on a connection that no fault concerns. */
export async function followContainers(host: string) {
  const filters = JSON.stringify({ type: ['container'], event: ['start'] });
  const stream = (await connectDocker(host).getEvents({ filters })) as Readable;
  const starts: ContainerStart[] = [];
  const seen = new Set<string>();
  let failure: Error | undefined;
  let isClosed = false;
  const lines = createInterface({ input: stream });
  lines.on('line', (line) => {
    const { Actor, timeNano = 0 } = JSON.parse(line) as Event;
    const { name = '', ...labels } = Actor?.Attributes ?? {};
    const of = (label: string): string | undefined => labels[`slipway.${label}`];
    const [kind, id, part] = [of('kind'), of('id'), of('part')];
    if (kind === undefined || id === undefined) return;
    // Podman tells every event of its log again when the log is rotated.
    if (seen.has(`${name} ${timeNano}`)) return;
    seen.add(`${name} ${timeNano}`);
    const at = Math.round(timeNano / 1e6);
    starts.push({ container: name, kind, id, generation: Number(of('generation')), ...(part && { part }), at });
  });
  stream.on('error', (err: Error) => (failure ??= err));
  lines.on('close', () => (failure ??= new Error('the engine ended the stream of its events')));
  return {
    /** @throws when a start may be missing */
    all(): readonly ContainerStart[] {
      if (failure !== undefined && !isClosed) throw failure;
      return starts;
    },
    close(): void {
      isClosed = true;
      lines.close();
      stream.destroy();
    },
  };
}
