import type { Endpoint } from '../kinds/endpoint.js';
import { collections } from '../../platform/stores/collections.js';
import type { Database, Row } from '../../platform/stores/database.js';
import type { EndpointStore } from './endpoints.js';

/** One row per deployment; its workflow is the only writer. */
export function createEndpoints({ database }: { database: Database }): EndpointStore {
  const table = database.table<Row & { endpoint: Endpoint }>(collections.endpoint);
  return {
    get: async (id) => (await table.get(id))?.endpoint,
    list: async () => {
      const found: Endpoint[] = [];
      for await (const { endpoint } of table.scan()) found.push(endpoint);
      return found;
    },
    put: (endpoint) => table.put({ _id: endpoint.id, endpoint }),
    remove: (id) => table.remove(id),
  };
}
