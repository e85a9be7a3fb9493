import { appendFile, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { splitLines } from './record-lines.js';

/** Records that wait on disk, kept apart by the first bits of a hash: one part at a time fits into memory. */
export interface Partitions {
  add(hash: Buffer, record: object): Promise<void>;
  /** Remembers the hash alone. */
  note(hash: Buffer): Promise<void>;
  /** Part by part in the order of the hashes; in a part the records come as they were added. */
  parts(): AsyncGenerator<Partition>;
}
export interface Partition {
  records(): AsyncGenerator<unknown>;
  /** How many different hashes were noted. */
  noted(): Promise<number>;
}

const PART_BYTES = 32 * 2 ** 20;
const MOST_BITS = 10; // 1,024 parts
const BUFFER_BYTES = 64 * 1024;
const HASH_BYTES = 8;

interface PartitionsOptions {
  /** An empty folder. */
  folder: string;
  /** At most so much is to come. */
  expectedBytes: number;
  /** Target size of a part, unless there would be too many. */
  partBytes?: number;
}

export function createPartitions({ folder, expectedBytes, partBytes = PART_BYTES }: PartitionsOptions): Partitions {
  const bits = Math.min(MOST_BITS, Math.max(0, Math.ceil(Math.log2(expectedBytes / partBytes))));
  const buffers = new Map<string, { parts: Buffer[]; bytes: number }>();

  async function append(name: string, bytes: Buffer): Promise<void> {
    const buffer = buffers.get(name) ?? { parts: [], bytes: 0 };
    buffers.set(name, buffer);
    buffer.parts.push(bytes);
    buffer.bytes += bytes.length;
    if (buffer.bytes >= BUFFER_BYTES) await flush(name);
  }
  async function flush(name: string): Promise<void> {
    const { parts } = buffers.get(name) ?? { parts: [] };
    buffers.delete(name);
    await appendFile(join(folder, name), Buffer.concat(parts));
  }
  const partOf = (hash: Buffer): number => hash.readUInt16BE(0) >> (16 - bits);

  async function* records(name: string): AsyncGenerator<unknown> {
    const file = await open(join(folder, name), 'a+');
    for await (const line of splitLines(file.createReadStream({ start: 0 }), Infinity)) {
      if (line !== undefined) yield JSON.parse(line.toString());
    }
  }
  async function noted(name: string): Promise<number> {
    const bytes = await readFile(join(folder, name), { flag: 'a+' });
    const hashes = BigUint64Array.from({ length: bytes.length / HASH_BYTES }, (_, index) =>
      bytes.readBigUInt64BE(index * HASH_BYTES),
    ).sort();
    return hashes.reduce((count, hash, index) => count + Number(index === 0 || hash !== hashes[index - 1]), 0);
  }

  return {
    add: (hash, record) => append(`${partOf(hash)}.records`, Buffer.from(`${JSON.stringify(record)}\n`)),
    note: (hash) => append(`${partOf(hash)}.hashes`, hash),
    async *parts() {
      for (const name of [...buffers.keys()]) await flush(name);
      for (let part = 0; part < 2 ** bits; part += 1) {
        yield { records: () => records(`${part}.records`), noted: () => noted(`${part}.hashes`) };
      }
    },
  };
}
