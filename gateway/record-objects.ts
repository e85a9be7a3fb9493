import type { Logger } from 'pino';
import { counterOf, SPOOL_PART } from '../lifecycle/stores/record-path.js';
import { SlipwayError } from '../platform/kinds/errors.js';
import type { ObjectStore } from '../platform/stores/objects.js';
import type { SpoolFile } from './index-file.js';
import { putAside } from './refused.js';

interface RecordObjectsDeps {
  spoolDir: string;
  objects: ObjectStore;
  log: Pick<Logger, 'warn'>;
}

/** The objects of uploaded records: each is created only if its name is free. */
export function createRecordObjects({ spoolDir, objects, log }: RecordObjectsDeps) {
  return {
    /** The first unused counter under a prefix: other uploaders write into the same hour. */
    freeCounter: async (prefix: string): Promise<number> => {
      let next = 0;
      for await (const { key } of objects.list(prefix)) next = Math.max(next, counterOf(key) + 1);
      return next;
    },

    /**
     * Stores one file under `key`. A file that the store refuses for good is put aside under `name`: it would hold up
     * all that come after it.
     * @returns false when another uploader has the key
     */
    store: async (key: string, { body, contentType, metadata }: SpoolFile, name: string): Promise<boolean> => {
      try {
        const { created } = await objects.put(key, body, { contentType, metadata, ifAbsent: true });
        return created || (await objects.head(key))?.metadata[SPOOL_PART] === metadata[SPOOL_PART];
      } catch (err) {
        if (!(err instanceof SlipwayError && err.code === 'storage_refused')) throw err;
        const file = await putAside(spoolDir, { name, body, about: { key, contentType, metadata } });
        log.warn({ err, key, file }, 'object storage refuses records for good: they were put aside');
        return true;
      }
    },
  };
}
