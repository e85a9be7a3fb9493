import { Readable } from 'node:stream';

const PART_BYTES = 8 * 2 ** 20;
/** A store takes 10,000 parts: parts become larger, so that 50 GiB fit in the first 3,000. */
const PARTS_OF_A_SIZE = 1_000;

/** The requests by which a store takes an object. Each is repeated by the store's library. */
export interface UploadSteps {
  /** @returns false when the object must not replace another one, and there is one */
  whole: (bytes: Buffer) => Promise<boolean>;
  begin: () => Promise<PartsUpload>;
}

interface PartsUpload {
  add: (bytes: Buffer, index: number) => Promise<void>;
  /** @returns as `whole` */
  commit: () => Promise<boolean>;
  /** Removes the parts of an upload that is not committed. */
  abort: () => Promise<void>;
}

/** Sends a body that fits in one part at once, a longer one in parts. An error of the body is thrown as it is. */
export async function upload(body: Readable | Buffer | string, { whole, begin }: UploadSteps): Promise<boolean> {
  const parts = partsOf(body instanceof Readable ? body : Readable.from([Buffer.from(body)]));
  try {
    const first = await nextOf(parts);
    let next = await nextOf(parts);
    if (next === undefined) return await whole(first ?? Buffer.alloc(0));
    const { add, commit, abort } = await begin();
    try {
      await add(first ?? Buffer.alloc(0), 0);
      for (let index = 1; next !== undefined; index += 1) {
        await add(next, index);
        next = await nextOf(parts);
      }
      return await commit();
    } catch (err) {
      await abort().catch(() => undefined); // the first error says why
      throw err;
    }
  } finally {
    await parts.return(undefined); // ends the body also when the store gave up
  }
}

async function nextOf(parts: AsyncGenerator<Buffer, void>): Promise<Buffer | undefined> {
  const { value } = await parts.next();
  return value ?? undefined;
}

async function* partsOf(body: Readable): AsyncGenerator<Buffer, void> {
  let [chunks, sizeBytes, sent] = [[] as Buffer[], 0, 0];
  for await (const chunk of body as AsyncIterable<Buffer | string>) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    sizeBytes += bytes.length;
    const partBytes = PART_BYTES * 2 ** Math.floor(sent / PARTS_OF_A_SIZE);
    if (sizeBytes < partBytes) continue;
    const all = Buffer.concat(chunks);
    let at = 0;
    for (; all.length - at >= partBytes; at += partBytes) {
      yield all.subarray(at, at + partBytes);
      sent += 1;
    }
    chunks = [all.subarray(at)];
    sizeBytes = all.length - at;
  }
  if (sizeBytes > 0) yield Buffer.concat(chunks);
}
