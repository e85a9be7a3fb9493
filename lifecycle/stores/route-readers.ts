import { collections } from '../../platform/stores/collections.js';
import type { Database, Row } from '../../platform/stores/database.js';

/** The routes that one gateway serves. */
interface ReaderRow extends Row {
  /** When it said so, by the clock of the database; RFC 3339 UTC. */
  at: string;
  /** The epoch of its route by deployment id, and the revisions of custom routes by their keys. */
  epochs: Record<string, number>;
}

/** A gateway says at least so often what it serves. */
export const READER_MS = 20_000;
/** One that was silent for so long is gone. */
const GONE_MS = 3 * READER_MS;

export type RouteReaders = ReturnType<typeof createRouteReaders>;

/** Which routes the gateways serve: what a route replaced may be stopped when all have read it. */
export function createRouteReaders({ database }: { database: Database }) {
  const table = database.table<ReaderRow>(collections.routeReader);

  /** Reads what the gateways serve. @returns whether all that live serve this route, or a newer one */
  async function readServed(): Promise<(id: string, epoch: number) => boolean> {
    const nowMs = database.now().getTime();
    const living: Record<string, number>[] = [];
    for await (const { _id, at, epochs } of table.scan()) {
      if (nowMs - Date.parse(at) > GONE_MS) await table.remove(_id);
      else living.push(epochs);
    }
    return (id, epoch) => living.every((epochs) => (epochs[id] ?? 0) >= epoch);
  }

  return {
    async acknowledge(gateway: string, epochs: Record<string, number>): Promise<void> {
      await table.put({ _id: gateway, at: database.now().toISOString(), epochs });
    },

    leave: (gateway: string): Promise<void> => table.remove(gateway),

    /** Whether every gateway that lives serves this route of a deployment, or a newer one. */
    allServe: async (id: string, epoch: number): Promise<boolean> => (await readServed())(id, epoch),

    readServed,
  };
}

/** The name of a custom route among those of deployments. */
export const customRouteKey = (id: string): string => `route/${id}`;
