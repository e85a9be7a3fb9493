import { collections } from '../../platform/stores/collections.js';
import type { Database, Row } from '../../platform/stores/database.js';
import type { Measurements } from '../kinds/measurement.js';

/** The last measurements of one process. */
interface MeasurementRow extends Row, Partial<Measurements> {
  /** By the clock of the database; RFC 3339 UTC. */
  at: string;
}

const PUBLISH_MS = 10_000;
/** The row of a process that ended, or cannot write, counts no longer after that time. */
const GONE_MS = 3 * PUBLISH_MS;

export type MeasurementStore = ReturnType<typeof createMeasurements>;

/** The measurements of gateways and workers: each process keeps one row, which it replaces every few seconds. */
export function createMeasurements({ database }: { database: Database }) {
  const table = database.table<MeasurementRow>(collections.measurement);

  return {
    put: (source: string, measured: Partial<Measurements>): Promise<void> =>
      table.put({ _id: source, at: database.now().toISOString(), ...measured }),

    /** Adds the rows of living processes, and removes those of others. */
    async read(): Promise<Measurements> {
      const nowMs = database.now().getTime();
      const calls: Measurements['calls'][number][] = [];
      const replicas: Measurements['replicas'][number][] = [];
      for await (const row of table.scan()) {
        if (nowMs - Date.parse(row.at) > GONE_MS) {
          await table.remove(row._id);
          continue;
        }
        calls.push(...(row.calls ?? []));
        replicas.push(...(row.replicas ?? []));
      }
      return { calls, replicas };
    },
  };
}

/** Publishes the measurements of a process until it ends. A write that fails is left to the next one. @returns ends it */
export function publishMeasurements(
  measurements: Pick<MeasurementStore, 'put'>,
  { source, measure }: { source: string; measure: () => Partial<Measurements> },
): () => void {
  let writing: Promise<void> | undefined;
  const publish = (): void => {
    writing ??= measurements
      .put(source, measure())
      .catch(() => undefined)
      .finally(() => (writing = undefined));
  };
  const timer = setInterval(publish, PUBLISH_MS).unref();
  return () => clearInterval(timer);
}
