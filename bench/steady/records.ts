import { setTimeout as sleep } from 'node:timers/promises';
import { linesOf } from '../../test/gateway/stored-records.js';
import type { ObjectStore } from '../../platform/stores/objects.js';

export interface RecordFigures {
  lost: number;
  doubled: number;
}

/** The uploader closes a file after some seconds; a machine under load needs longer. */
const MOST_MS = 120_000;
const POLL_MS = 2_000;

/** Compares the stored records of one kind with the request ids that there must be one of each, once they are all there. */
export async function compareRecords(
  objects: ObjectStore,
  tag: string,
  wanted: ReadonlySet<string>,
): Promise<RecordFigures> {
  for (const deadline = Date.now() + MOST_MS; ; await sleep(POLL_MS)) {
    const found = (await linesOf(objects, `${tag}/`)).map((line) => String(line.request_id));
    const known = new Set(found);
    const lost = [...wanted].filter((id) => !known.has(id)).length;
    if (lost > 0 && Date.now() < deadline) continue;
    return { lost, doubled: found.length - known.size };
  }
}
