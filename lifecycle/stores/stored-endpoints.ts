import type { Endpoint } from '../kinds/endpoint.js';
import { collections } from '../../platform/stores/collections.js';
import type { Database, Row } from '../../platform/stores/database.js';
import type { EndpointStore } from './endpoints.js';

interface EndpointRow extends Row {
  /** `null`: taken out of service. */
  endpoint: Endpoint | null;
}

const EPOCH_DIGITS = 15;
const rowId = (id: string, epoch: number): string => `${id}@${String(epoch).padStart(EPOCH_DIGITS, '0')}`;

/** Rows of an earlier release have no epoch. */
function parseRowId(rowId: string): { id: string; epoch: number } {
  const [id = '', epoch = '0'] = rowId.split('@');
  return { id, epoch: Number(epoch) };
}

export function createEndpoints({ database }: { database: Database }): EndpointStore {
  const table = database.table<EndpointRow>(collections.endpoint);

  /** The ids of a deployment's rows, the newest one first. */
  async function rowsOf(id: string): Promise<{ _id: string; epoch: number }[]> {
    const found: { _id: string; epoch: number }[] = [];
    for await (const { _id } of table.members([])) {
      const row = parseRowId(_id);
      if (row.id === id) found.push({ _id, epoch: row.epoch });
    }
    return found.sort((a, b) => b.epoch - a.epoch);
  }

  async function write(id: string, epoch: number, endpoint: Endpoint | null): Promise<boolean> {
    const own = rowId(id, epoch);
    await table.put({ _id: own, endpoint });
    const rows = await rowsOf(id);
    const isNewest = rows[0]?._id === own;
    const superseded = isNewest ? rows.slice(1) : rows.filter(({ _id }) => _id === own);
    for (const { _id } of superseded) await table.remove(_id);
    return isNewest;
  }

  return {
    get: async (id) => {
      // Again where a newer row replaced the one that was found.
      for (;;) {
        const [newest] = await rowsOf(id);
        if (newest === undefined) return undefined;
        const row = await table.get(newest._id);
        if (row !== undefined) return row.endpoint === null ? undefined : withEpoch(row.endpoint, newest.epoch);
      }
    },
    list: async () => {
      const newest = new Map<string, { epoch: number; endpoint: Endpoint | null }>();
      for await (const { _id, endpoint } of table.scan()) {
        const { id, epoch } = parseRowId(_id);
        if ((newest.get(id)?.epoch ?? -1) < epoch) newest.set(id, { epoch, endpoint });
      }
      return [...newest.values()].flatMap(({ epoch, endpoint }) => (endpoint ? [withEpoch(endpoint, epoch)] : []));
    },
    put: (endpoint, epoch) => write(endpoint.id, epoch, endpoint),
    withdraw: ({ id }, epoch) => write(id, epoch, null),
    holds: async (id, epoch) => (await table.get(rowId(id, epoch))) !== undefined,
    epochOf: async (id) => (await rowsOf(id))[0]?.epoch ?? 0,
  };
}

const withEpoch = (endpoint: Endpoint, epoch: number): Endpoint => ({ ...endpoint, ...(epoch > 0 && { epoch }) });
