import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { DatasetSpec } from '../../reference/dataset/dataset.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { ObjectStore } from '../../platform/stores/objects.js';

/** The state of the watches of a dataset at one position of its log. */
export interface WatchCheckpoint {
  /** Position of the newest evaluated entry; a log with another token there is another log. */
  position: number;
  at: string;
  token: string;
  /** Fields of the declaration in force there. */
  fields: DatasetSpec['fields'];
  generation?: number;
  watches: {
    id: string;
    /** Fingerprint of the settings that the state depends on. */
    basis: string;
    /** Length of its part of `gaps` in bytes. */
    length: number;
    /** Names of entities that the watch numbers itself. */
    names?: readonly string[];
  }[];
  /** The encoded gaps of all watches, one after another. */
  gaps: Buffer;
}

export interface WatchCheckpoints {
  /** @returns undefined when there is none, or it is damaged: the caller rebuilds the state */
  read(dataset: string): Promise<WatchCheckpoint | undefined>;
  /** Replaces the checkpoint. Two evaluators write equal states, so it does not matter whose is kept. */
  put(dataset: string, checkpoint: WatchCheckpoint): Promise<void>;
}

const keyOf = (dataset: string): string => `watches/${dataset}.gz`;
const [zip, unzip] = [promisify(gzip), promisify(gunzip)];
/** Raised when the columns change: an older checkpoint is rebuilt. */
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
        // The zip has a checksum: a damaged checkpoint counts as none.
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
