import { createUploader } from '../gateway/uploader.js';
import { openPlatformBucket } from './compose/bucket.js';
import type { Connection } from '../lifecycle/kinds/connection.js';
import { createResources } from '../notifications/stores/resources.js';
import { openDatabase } from '../platform/stores/mongo-database.js';
import { type Close, runProcess, type StartContext } from './compose/process.js';
import { openRecordObjects } from './compose/record-objects.js';
import { spoolDir } from './compose/spool-dir.js';

await runProcess('uploader', startUploader);

async function startUploader({ settings, log, startup }: StartContext): Promise<Close> {
  const objects = openPlatformBucket(settings);
  await startup.awaitService('object storage', () => objects.ensureBucket());
  // Not connected: the database is read for a connection alone.
  const database = openDatabase(settings.MONGODB_URI, settings.SLIPWAY_DATABASE);
  const connections = createResources<Connection>({ database, kind: 'Connection' });
  const uploader = createUploader({
    spoolDir: spoolDir(settings),
    objects: openRecordObjects({ settings, connections, objects }),
    log,
    prefix: settings.SLIPWAY_RECORD_PREFIX,
    chunkMs: settings.SLIPWAY_RECORD_SECONDS * 1_000,
  });
  const ending = new AbortController();
  const running = uploader.run(ending.signal);
  return async () => {
    ending.abort();
    await running;
    await database.close();
  };
}
