import { Readable } from 'node:stream';
import { createUploader } from '../../gateway/uploader.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { createMemoryObjects } from '../../platform/stores/memory-objects.js';

/**
 * The uploader of a gateway, with an object storage that the benchmark takes away and gives back. The storage keeps names
 * and metadata, and counts the records: bodies would be the memory that is measured here.
 */
const [, , spoolDir = ''] = process.argv;
const TAGS = ['request_response', 'response_body'] as const;

const objects = createMemoryObjects();
/** How often each call, numbered by its request id, was stored. */
const seen = Object.fromEntries(TAGS.map((tag) => [tag, new Uint8Array(2_000_000)]));
let isAway = false;

function count(key: string, text: string): void {
  const counts = seen[key.split('/')[0] ?? ''];
  if (counts === undefined) return;
  for (const line of text.trim().split('\n')) {
    const { request_id: id } = JSON.parse(line) as { request_id: string };
    counts[Number(id)] = (counts[Number(id)] ?? 0) + 1;
  }
}

const uploader = createUploader({
  spoolDir,
  chunkMs: 2_000,
  log: { info: () => undefined, warn: () => undefined },
  objects: {
    ...objects,
    async *list(...args) {
      if (isAway) throw new SlipwayError('unavailable', 'the object storage is away');
      yield* objects.list(...args);
    },
    put: async (key, body, options) => {
      if (isAway) throw new SlipwayError('unavailable', 'the object storage is away');
      const put = await objects.put(key, '', options);
      if (put.created && !(body instanceof Readable)) count(key, body.toString());
      return put;
    },
  },
});
const stopping = new AbortController();
const running = uploader.run(stopping.signal);

/** `away`, `back`, `stop`, or the number of calls that there were: how many records of them are lost or doubled? */
process.on('message', (message: 'away' | 'back' | 'stop' | number) => {
  if (typeof message === 'number') {
    const found = { lost: 0, doubled: 0 };
    for (const counts of Object.values(seen)) {
      for (const times of counts.subarray(0, message)) {
        found.lost += Number(times === 0);
        found.doubled += Number(times > 1);
      }
    }
    process.send?.(found);
  } else if (message === 'stop') {
    stopping.abort();
    void running.then(() => process.exit(0));
  } else {
    isAway = message === 'away';
  }
});
process.send?.('ready');
