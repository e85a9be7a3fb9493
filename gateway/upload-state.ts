import { mkdir, open, readFile, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { errorCode } from './error-code.js';

/**
 * The progress of one segment's upload. A plan is on disk before its first object is written, so a crash at
 * any point is answered by carrying the same plan out again.
 */
const UploadState = z.object({
  /** Everything before this position of the segment is stored. */
  offset: z.int().nonnegative(),
  plan: z
    .object({
      to: z.int().nonnegative(),
      /** In this order; `n` is the counter in the object's name that is tried next. */
      objects: z.array(z.object({ path: z.string(), n: z.int().nonnegative() })),
    })
    .optional(),
});
export type UploadState = z.infer<typeof UploadState>;
export type PlannedObject = NonNullable<UploadState['plan']>['objects'][number];

const SUFFIX = '.upload.json';

export type UploadStates = ReturnType<typeof createUploadStates>;

/** The upload states of a spool's segments, one file each in its folder `uploads`. */
export function createUploadStates(spoolDir: string) {
  const dir = join(spoolDir, 'uploads');
  const file = (segment: string): string => join(dir, `${segment}${SUFFIX}`);
  return {
    async get(segment: string): Promise<UploadState> {
      try {
        return UploadState.parse(JSON.parse(await readFile(file(segment), 'utf8')));
      } catch (err) {
        if (errorCode(err) === 'ENOENT') return { offset: 0 };
        throw err;
      }
    },
    /** All or nothing, also through a loss of power. */
    async put(segment: string, state: UploadState): Promise<void> {
      await mkdir(dir, { recursive: true });
      const next = `${file(segment)}.next`;
      const handle = await open(next, 'w');
      try {
        await handle.writeFile(JSON.stringify(state));
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(next, file(segment));
      const folder = await open(dir);
      await folder.sync().finally(() => folder.close());
    },
    async remove(segment: string): Promise<void> {
      await rm(file(segment), { force: true });
    },
    /** Segments that have a state, also when the segment itself is gone. */
    async segments(): Promise<string[]> {
      const files = await readdir(dir).catch(() => []);
      return files.filter((name) => name.endsWith(SUFFIX)).map((name) => name.slice(0, -SUFFIX.length));
    },
  };
}
