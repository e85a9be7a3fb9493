import type { ContainerStart } from './container-log.js';

/** Longest time that an old generation may serve after a newer one was `Ready`, and a deployment after it was removed. */
export const MOST_STALE_MS = 10_000;

/** One answer of a model behind a gateway. */
export interface ServedAnswer {
  /** The deployment that was asked. */
  id: string;
  gateway: string;
  /** The name of the container that answered. */
  container: string;
  /** When the container answered. */
  at: number;
}

/** The observations of clients about deployments. */
export interface ServiceRecords {
  /** When a client first saw each generation `Ready`. */
  ready: { id: string; generation: number; at: number }[];
  /** When a client first saw that a deployment is no longer there. */
  gone: Map<string, number>;
  answers: ServedAnswer[];
  /** Generations that failed, and calls without an answer of a model. */
  failed: number;
  refused: number;
}

export type ServiceLog = ReturnType<typeof createServiceLog>;

export function createServiceLog({ now = Date.now } = {}) {
  const records: ServiceRecords = { ready: [], gone: new Map(), answers: [], failed: 0, refused: 0 };
  return {
    records,
    ready: (id: string, generation: number): void => void records.ready.push({ id, generation, at: now() }),
    gone: (id: string): void => void records.gone.set(id, now()),
    failed: (): void => void (records.failed += 1),
    answered: (answer: ServedAnswer): void => void records.answers.push(answer),
    refused: (): void => void (records.refused += 1),
  };
}

export interface ServiceFigures {
  generations: number;
  failed: number;
  answers: number;
  refused: number;
  /** The longest time that an old generation answered after a newer one was `Ready`, in milliseconds. */
  longestStaleMs: number;
  /** Answers of old generations past the limit. */
  stale: number;
  /** Answers of a container of another deployment, or of none that the engine tells of. */
  misrouted: number;
  /** Answers of deployments past the limit after they were removed. */
  ghostAnswers: number;
}

/** Compares the containers that answered with the states that clients saw, and reports each answer that breaks a bar. */
export function compareService(
  records: ServiceRecords,
  starts: readonly ContainerStart[],
  report: (line: string) => void,
): ServiceFigures {
  const { ready, gone, answers, failed, refused } = records;
  const containers = new Map(starts.map((start) => [start.container, start]));
  const figures = { longestStaleMs: 0, stale: 0, misrouted: 0, ghostAnswers: 0 };
  for (const { id, gateway, container, at } of answers) {
    const start = containers.get(container);
    const tell = (wrong: string): void =>
      report(`${new Date(at).toISOString()}: ${container} answered for ${id} at ${gateway}, ${wrong}`);
    if (start?.kind !== 'deployment' || start.id !== id) {
      figures.misrouted += 1;
      tell(start === undefined ? 'and the engine knows no start of it' : `and is of ${start.kind} ${start.id}`);
      continue;
    }
    const replacedAt = Math.min(
      ...ready.filter((each) => each.id === id && each.generation > start.generation).map((each) => each.at),
    );
    const staleMs = Math.max(0, at - replacedAt);
    figures.longestStaleMs = Math.max(figures.longestStaleMs, staleMs);
    if (staleMs > MOST_STALE_MS) {
      figures.stale += 1;
      tell(`${staleMs} ms after a newer generation was ready`);
    }
    const goneMs = at - (gone.get(id) ?? Infinity);
    if (goneMs > MOST_STALE_MS) {
      figures.ghostAnswers += 1;
      tell(`${goneMs} ms after it was deleted`);
    }
  }
  return { generations: ready.length, failed, answers: answers.length, refused, ...figures };
}
