import type { Connection } from '../kinds/connection.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { ObjectStore } from '../../platform/stores/objects.js';

/** A changed connection counts after that time. */
const KEPT_MS = 60_000;

interface RecordObjectsOptions {
  /** Id of the connection. */
  id: string;
  connections: { get(id: string): Promise<Connection | undefined> };
  open: (connection: Connection) => ObjectStore;
  now?: () => number;
}

/**
 * The object store of a connection that may be created, or change, while the process runs: each operation uses it as it is.
 * All of them throw `unavailable` while there is no such connection.
 */
export function createRecordObjects({
  id,
  connections,
  open,
  now = () => performance.now(),
}: RecordObjectsOptions): ObjectStore {
  let kept: { objects: ObjectStore; untilMs: number } | undefined;

  async function current(): Promise<ObjectStore> {
    if (kept !== undefined && now() < kept.untilMs) return kept.objects;
    const connection = await connections.get(id);
    if (connection === undefined) {
      const message = `SLIPWAY_RECORD_CONNECTION names the connection "${id}", which does not exist: create it`;
      throw new SlipwayError('unavailable', message);
    }
    const objects = open(connection);
    kept = { objects, untilMs: now() + KEPT_MS };
    return objects;
  }

  return {
    put: async (...given) => (await current()).put(...given),
    open: async (...given) => (await current()).open(...given),
    read: async (...given) => (await current()).read(...given),
    head: async (...given) => (await current()).head(...given),
    async *list(...given) {
      yield* (await current()).list(...given);
    },
    remove: async (...given) => (await current()).remove(...given),
  };
}
