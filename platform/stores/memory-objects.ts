import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { SlipwayError } from '../kinds/errors.js';
import { isWithin, type ObjectInfo, type ObjectStore } from './objects.js';

/** The twin of `createGcsObjects` for tests. */
export function createMemoryObjects({ now = () => new Date() }: { now?: () => Date } = {}): ObjectStore {
  const objects = new Map<string, { info: ObjectInfo; body: Buffer }>();
  const find = (key: string) => {
    const found = objects.get(key);
    if (found === undefined) throw new SlipwayError('not_found', `object "${key}" is not found`);
    return found;
  };
  return {
    put: async (key, body, { contentType = 'application/octet-stream', metadata = {}, ifAbsent = false } = {}) => {
      const bytes = body instanceof Readable ? await buffer(body) : Buffer.from(body);
      if (ifAbsent && objects.has(key)) return { created: false };
      const updatedAt = now().toISOString();
      const checksum = createHash('sha256').update(bytes).digest('base64');
      const info = { key, sizeBytes: bytes.length, checksum, contentType, metadata: { ...metadata }, updatedAt };
      objects.set(key, { info, body: bytes });
      return { created: true };
    },
    open: async (key) => Readable.from([find(key).body], { objectMode: false }),
    read: async (key, { start, end } = { start: 0, end: Infinity }) =>
      Buffer.from(find(key).body.subarray(start, Math.max(start, end))),
    head: async (key) => objects.get(key)?.info,
    async *list(prefix, range = {}) {
      const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && isWithin(key, range)).sort();
      for (const key of keys) {
        const info = objects.get(key)?.info;
        if (info !== undefined) yield info;
      }
    },
    remove: async (key) => void objects.delete(key),
  };
}
