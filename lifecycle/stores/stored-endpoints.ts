import type { Endpoint } from '../kinds/endpoint.js';
import { collections } from '../../platform/stores/collections.js';
import type { Database, Row } from '../../platform/stores/database.js';
import { shareReads } from '../../platform/stores/shared-read.js';
import type { EndpointStore } from './endpoints.js';

interface EndpointRow extends Row {
  /** `null`: taken out of service. */
  endpoint: Endpoint | null;
}

/** The description of the model, which may be long: each change of any route reads all rows of the route table. */
interface InfoRow extends Row {
  info: Endpoint['info'];
}

interface RowPlace {
  _id: string;
  epoch: number;
}

/** More descriptions than these are read at once. */
const MOST_GETS = 20;

const EPOCH_DIGITS = 15;
const rowId = (id: string, epoch: number): string => `${id}@${String(epoch).padStart(EPOCH_DIGITS, '0')}`;

/** Rows of an earlier release have no epoch. */
function parseRowId(rowId: string): { id: string; epoch: number } {
  const [id = '', epoch = '0'] = rowId.split('@');
  return { id, epoch: Number(epoch) };
}

export function createEndpoints({ database }: { database: Database }): EndpointStore {
  const table = database.table<EndpointRow>(collections.endpoint);
  const infos = database.table<InfoRow>(collections.endpointInfo);
  /** The descriptions of the routes that were listed last, by row id: an attempt never changes its own. */
  let listed = new Map<string, Endpoint['info']>();

  const readIds = shareReads(async () => {
    const byDeployment = new Map<string, RowPlace[]>();
    for await (const { _id } of table.members([])) {
      const { id, epoch } = parseRowId(_id);
      const others = byDeployment.get(id);
      if (others) others.push({ _id, epoch });
      else byDeployment.set(id, [{ _id, epoch }]);
    }
    return byDeployment;
  });

  /** The ids of a deployment's rows, the newest one first. */
  const rowsOf = async (id: string): Promise<RowPlace[]> =>
    ((await readIds()).get(id) ?? []).toSorted((a, b) => b.epoch - a.epoch);

  async function write(id: string, epoch: number, endpoint: Endpoint | null): Promise<boolean> {
    const own = rowId(id, epoch);
    if (endpoint) await infos.put({ _id: own, info: endpoint.info });
    await table.put({ _id: own, endpoint: endpoint && { ...endpoint, info: {} } });
    const rows = await rowsOf(id);
    const isNewest = rows[0]?._id === own;
    const superseded = isNewest ? rows.slice(1) : rows.filter(({ _id }) => _id === own);
    for (const { _id } of superseded) {
      await table.remove(_id);
      await infos.remove(_id);
    }
    return isNewest;
  }

  /** Reads the descriptions that the last list did not have. */
  async function readInfos(ids: readonly string[]): Promise<void> {
    const known = new Map(ids.flatMap((id) => (listed.has(id) ? [[id, listed.get(id) ?? {}]] : [])));
    const missing = new Set(ids.filter((id) => !known.has(id)));
    if (missing.size > MOST_GETS) {
      for await (const { _id, info } of infos.members(['info'])) if (missing.has(_id)) known.set(_id, info);
    } else {
      for (const id of missing) known.set(id, (await infos.get(id))?.info ?? {});
    }
    listed = known;
  }

  return {
    get: async (id) => {
      // Again where a newer row replaced the one that was found.
      for (;;) {
        const [newest] = await rowsOf(id);
        if (newest === undefined) return undefined;
        const row = await table.get(newest._id);
        if (row?.endpoint === null) return undefined;
        const kept = row && (await infos.get(newest._id));
        const isThere = row !== undefined && (kept !== undefined || (await rowsOf(id))[0]?._id === newest._id);
        if (isThere) return complete(row.endpoint, { epoch: newest.epoch, info: kept?.info });
      }
    },
    list: async () => {
      const newest = new Map<string, { _id: string; epoch: number; endpoint: Endpoint | null }>();
      for await (const { _id, endpoint } of table.scan()) {
        const { id, epoch } = parseRowId(_id);
        if ((newest.get(id)?.epoch ?? -1) < epoch) newest.set(id, { _id, epoch, endpoint });
      }
      const routes = [...newest.values()].filter(hasEndpoint);
      await readInfos(routes.map(({ _id }) => _id));
      return routes.map(({ _id, epoch, endpoint }) => complete(endpoint, { epoch, info: listed.get(_id) }));
    },
    put: (endpoint, epoch) => write(endpoint.id, epoch, endpoint),
    withdraw: ({ id }, epoch) => write(id, epoch, null),
    holds: async (id, epoch) => (await table.get(rowId(id, epoch))) !== undefined,
    epochOf: async (id) => (await rowsOf(id))[0]?.epoch ?? 0,
  };
}

const hasEndpoint = <R extends { endpoint: Endpoint | null }>(row: R): row is R & { endpoint: Endpoint } =>
  row.endpoint !== null;

/** Rows of an earlier release hold the description themselves. */
function complete(
  endpoint: Endpoint,
  { epoch, info = {} }: { epoch: number; info?: Endpoint['info'] | undefined },
): Endpoint {
  const own = Object.keys(endpoint.info).length > 0 ? endpoint.info : info;
  return { ...endpoint, info: own, ...(epoch > 0 && { epoch }) };
}
