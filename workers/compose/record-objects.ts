import type { Settings } from '../../config.js';
import type { Connection } from '../../lifecycle/kinds/connection.js';
import { createObjectStoreFor } from '../../lifecycle/stores/connection-objects.js';
import { createRecordObjects } from '../../lifecycle/stores/record-objects.js';
import type { OpenSecret } from '../../platform/kinds/secret-places.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { connectionBuckets } from './bucket.js';
import { openSecretBox } from './secret-box.js';

interface RecordObjectsContext {
  settings: Settings;
  connections: Pick<ResourceStore<Connection>, 'get'>;
  /** The bucket of the platform. */
  objects: ObjectStore;
}

/** Opens the store of the records: that of `SLIPWAY_RECORD_CONNECTION`, else the bucket of the platform. */
export function openRecordObjects({ settings, connections, objects }: RecordObjectsContext): ObjectStore {
  const { SLIPWAY_RECORD_CONNECTION: id } = settings;
  if (id === undefined) return objects;
  const box = openSecretBox(settings);
  // Base64 is how clients send secrets; the box keeps what they sent.
  const openSecret: OpenSecret = (sealed, place) => Buffer.from(box.open(sealed, place), 'base64').toString('utf8');
  const buckets = connectionBuckets(settings, openSecret);
  return createRecordObjects({
    ...{ id, connections },
    open: (connection) => createObjectStoreFor(connection, buckets),
  });
}
