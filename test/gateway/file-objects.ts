import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { isWithin, type ObjectStore } from '../../platform/stores/objects.js';

const Stored = z.object({ body: z.string(), contentType: z.string(), metadata: z.record(z.string(), z.string()) });

/** An object store in a folder: it outlives the process that writes it, and `ifAbsent` holds between processes. */
export function createFileObjects(dir: string): ObjectStore {
  const path = (key: string): string => join(dir, key);
  const find = async (key: string) => {
    const text = await readFile(path(key), 'utf8').catch(() => undefined);
    return text === undefined ? undefined : Stored.parse(JSON.parse(text));
  };
  const read = async (key: string, part = { start: 0, end: Infinity }): Promise<Buffer> => {
    const found = await find(key);
    if (found === undefined) throw new SlipwayError('not_found', `object "${key}" is not found`);
    return Buffer.from(found.body, 'base64').subarray(part.start, part.end);
  };
  const info = (key: string, { body, contentType, metadata }: z.infer<typeof Stored>) => {
    return {
      key,
      sizeBytes: Buffer.byteLength(body, 'base64'),
      contentType,
      metadata,
      checksum: body,
      updatedAt: '2026-01-01T00:00:00Z',
    };
  };
  return {
    async put(key, given, { contentType = '', metadata = {}, ifAbsent = false } = {}) {
      const body = (given instanceof Readable ? await buffer(given) : Buffer.from(given)).toString('base64');
      const next = join(dir, `.${randomUUID()}`);
      await mkdir(dirname(path(key)), { recursive: true });
      await writeFile(next, JSON.stringify({ body, contentType, metadata }));
      if (!ifAbsent) await rm(path(key), { force: true });
      const created = await link(next, path(key)).then(
        () => true,
        () => false,
      );
      await rm(next);
      return { created };
    },
    read,
    open: async (key) => Readable.from([await read(key)], { objectMode: false }),
    async head(key) {
      const found = await find(key);
      return found === undefined ? undefined : info(key, found);
    },
    async *list(prefix, range = {}) {
      const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch(() => []);
      const keys = entries
        .filter((entry) => entry.isFile())
        .map((entry) => relative(dir, join(entry.parentPath, entry.name)));
      for (const key of keys.filter((one) => one.startsWith(prefix) && isWithin(one, range)).sort()) {
        const found = await find(key);
        if (found !== undefined) yield info(key, found);
      }
    },
    remove: async (key) => rm(path(key), { force: true }),
  };
}
