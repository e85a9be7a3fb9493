import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { DatasetSpec } from '../../reference/dataset/dataset.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { ObjectStore } from '../../platform/stores/objects.js';

/** How far the watches of a dataset were judged, and what was known of each of its entities there. */
export interface WatchCheckpoint {
  /** Of the newest entry that was judged; a log that has another token there is another log. */
  position: number;
  at: string;
  token: string;
  /** Fields of the declaration in force there. */
  fields: DatasetSpec['fields'];
  generation?: number;
  watches: {
    id: string;
    /** Settings that what is known depends on. */
    basis: string;
    /** Bytes of its part in `gaps`. */
    length: number;
    /** Of entities whose numbers are the watch's own. */
    names?: readonly string[];
  }[];
  /** Of all watches, one behind the other. */
  gaps: Buffer;
}

export interface WatchCheckpoints {
  /** @returns undefined when there is none that can be read: whoever asks reckons anew */
  read(dataset: string): Promise<WatchCheckpoint | undefined>;
  /** Takes the place of the one before. Of two evaluators it is all the same whose stands. */
  put(dataset: string, checkpoint: WatchCheckpoint): Promise<void>;
}

const keyOf = (dataset: string): string => `watches/${dataset}.gz`;
const [zip, unzip] = [promisify(gzip), promisify(gunzip)];
/** Raised when the columns change: an older one is reckoned anew. */
const FORM = 1;

export function createWatchCheckpoints({ objects }: { objects: ObjectStore }): WatchCheckpoints {
  return {
    async read(dataset) {
      try {
        const bytes = await unzip(await objects.read(keyOf(dataset)));
        const end = bytes.indexOf('\n');
        const { form, ...head } = JSON.parse(bytes.toString('utf8', 0, end)) as { form: number } & WatchCheckpoint;
        return form === FORM ? { ...head, gaps: bytes.subarray(end + 1) } : undefined;
      } catch (err) {
        // The zip has a checksum of its own: a damaged one is as good as none.
        if (err instanceof SlipwayError && err.code !== 'not_found') throw err;
        return undefined;
      }
    },
    async put(dataset, { gaps, ...head }) {
      const line = Buffer.from(`${JSON.stringify({ form: FORM, ...head })}\n`);
      await objects.put(keyOf(dataset), await zip(Buffer.concat([line, gaps]), { level: 1 }), {
        contentType: 'application/gzip',
      });
    },
  };
}
