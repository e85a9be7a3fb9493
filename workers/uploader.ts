import { createUploader } from '../gateway/uploader.js';
import { openPlatformBucket } from './compose/bucket.js';
import { type Close, runProcess, type StartContext } from './compose/process.js';
import { spoolDir } from './compose/spool-dir.js';

await runProcess('uploader', startUploader);

async function startUploader({ settings, log, startup }: StartContext): Promise<Close> {
  const objects = openPlatformBucket(settings);
  await startup.awaitService('object storage', () => objects.ensureBucket());
  const uploader = createUploader({
    spoolDir: spoolDir(settings),
    objects,
    log,
    prefix: settings.SLIPWAY_RECORD_PREFIX,
    chunkMs: settings.SLIPWAY_RECORD_SECONDS * 1_000,
  });
  const ending = new AbortController();
  const running = uploader.run(ending.signal);
  return async () => {
    ending.abort();
    await running;
  };
}
