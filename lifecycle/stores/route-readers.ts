import { isLater, type RouteTime } from '../kinds/endpoint.js';
import type { CallsReport } from '../kinds/revision-calls.js';
import { collections } from '../../platform/stores/collections.js';
import type { Database, Row } from '../../platform/stores/database.js';

/** The routes that one gateway serves. */
interface ReaderRow extends Row {
  /** When it said so, by the clock of the database; RFC 3339 UTC. */
  at: string;
  /** The epoch of its route by deployment id, and the revisions of custom routes by their keys. */
  epochs: Record<string, number>;
  /** Calls of deployments under rollout; absent in rows of an earlier release. */
  calls?: CallsReport;
  /** Absent in rows of an earlier release. */
  load?: GatewayLoad;
}

/** The calls of one gateway. */
export interface GatewayLoad {
  /** The version of a route within its epoch, of deployments that have one. */
  versions: Record<string, number>;
  /** Seconds of all calls since the gateway started, in flight and queued, by deployments whose replicas follow the calls. */
  busySeconds: Record<string, number>;
  /** Replicas that no route names any more, and that still answer a call or did so until just before. */
  draining: string[];
}

/** The row of one gateway that lives. */
export interface GatewayReport {
  gateway: string;
  /** When it was written, by the clock of the database. */
  atMs: number;
  load: GatewayLoad;
  /** Whether the gateway serves this route of a deployment, or a newer one. */
  serves: (id: string, route: RouteTime) => boolean;
}

const NO_LOAD: GatewayLoad = { versions: {}, busySeconds: {}, draining: [] };

/** A gateway says at least so often what it serves. */
export const READER_MS = 20_000;
/** One that was silent for so long is gone. */
export const GONE_MS = 3 * READER_MS;

export type RouteReaders = ReturnType<typeof createRouteReaders>;

/** Which routes the gateways serve: what a route replaced may be stopped when all have read it. */
export function createRouteReaders({ database }: { database: Database }) {
  const table = database.table<ReaderRow>(collections.routeReader);

  /** Reads what the gateways that live said last. */
  async function reports(): Promise<GatewayReport[]> {
    return (await readLiving()).map(({ _id: gateway, at, epochs, load = NO_LOAD }) => ({
      ...{ gateway, atMs: Date.parse(at), load },
      serves: (id, route) => !isLater(route, { epoch: epochs[id] ?? 0, version: load.versions[id] ?? 0 }),
    }));
  }

  /** Reads what the gateways serve. @returns whether all that live serve this route, or a newer one */
  async function readServed(): Promise<(id: string, epoch: number) => boolean> {
    const living = await reports();
    return (id, epoch) => living.every(({ serves }) => serves(id, { epoch }));
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
    async acknowledge(
      gateway: string,
      epochs: Record<string, number>,
      { calls = {}, load = NO_LOAD }: { calls?: CallsReport; load?: GatewayLoad } = {},
    ): Promise<void> {
      await table.put({ _id: gateway, at: database.now().toISOString(), epochs, calls, load });
    },

    reports,

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
