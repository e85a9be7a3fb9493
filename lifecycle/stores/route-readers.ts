import type { CallsReport } from '../kinds/revision-calls.js';
import { collections } from '../../platform/stores/collections.js';
import type { Database, Row } from '../../platform/stores/database.js';

/** The routes that one gateway serves. */
interface ReaderRow extends Row {
  /** When it said so, by the clock of the database; RFC 3339 UTC. */
  at: string;
  /** The epoch of its route by deployment id, and the revisions of custom routes by their keys. */
  epochs: Record<string, number>;
  /** Calls of deployments under rollout, and those that go on at revisions without a route; absent in rows of an earlier release. */
  calls?: CallsReport;
}

/** A gateway says at least so often what it serves. */
export const READER_MS = 20_000;
/** One that was silent for so long is gone. */
export const GONE_MS = 3 * READER_MS;

export type RouteReaders = ReturnType<typeof createRouteReaders>;

/** Which routes the gateways serve: what a route replaced may be stopped when all have read it. */
export function createRouteReaders({ database }: { database: Database }) {
  const table = database.table<ReaderRow>(collections.routeReader);

  /** Reads what the gateways serve. @returns whether all that live serve this route, or a newer one */
  async function readServed(): Promise<(id: string, epoch: number) => boolean> {
    const living = await readLiving();
    return (id, epoch) => living.every(({ epochs }) => (epochs[id] ?? 0) >= epoch);
  }

  async function readLiving(): Promise<ReaderRow[]> {
    const nowMs = database.now().getTime();
    const living: ReaderRow[] = [];
    for await (const row of table.scan()) {
      if (nowMs - Date.parse(row.at) > GONE_MS) await table.remove(row._id);
      else living.push(row);
    }
    return living;
  }

  return {
    async acknowledge(gateway: string, epochs: Record<string, number>, calls: CallsReport = {}): Promise<void> {
      await table.put({ _id: gateway, at: database.now().toISOString(), epochs, calls });
    },

    leave: (gateway: string): Promise<void> => table.remove(gateway),

    /** Whether every gateway that lives serves this route of a deployment, or a newer one. */
    allServe: async (id: string, epoch: number): Promise<boolean> => (await readServed())(id, epoch),

    readServed,

    /** Reads what each gateway counted of a deployment, by generation. */
    async callsOf(id: string): Promise<Map<string, CallsReport[string]>> {
      return new Map((await readLiving()).map(({ _id, calls }) => [_id, calls?.[id] ?? {}]));
    },
  };
}

/** The name of a custom route among those of deployments. */
export const customRouteKey = (id: string): string => `route/${id}`;
