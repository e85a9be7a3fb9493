import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import tar, { type Header } from 'tar-stream';

/** One entry of an archive, as hostile as it likes. */
export type TarEntry = Partial<Header> & { name: string; content?: string | Buffer };

/** The bytes of a plain tar. */
export async function tarOf(entries: readonly TarEntry[]): Promise<Buffer> {
  const pack = tar.pack();
  for (const { content = '', ...header } of entries) {
    pack.entry(header, header.type === undefined || header.type === 'file' ? content : '');
  }
  pack.finalize();
  return buffer(pack);
}

export interface ZipEntry {
  name: string;
  content?: string | Buffer;
  /** Unix mode with file type, such as `0o120777` for a link. */
  mode?: number;
  flags?: number;
  /** Lies about the size. */
  claimedBytes?: number;
}

/** The bytes of a zip without compression. */
export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const { name, content = '', mode = 0o100644, flags = 0, claimedBytes } of entries) {
    const body = Buffer.from(content);
    const label = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags | 0x0800, 2);
    common.writeUInt32LE(crc32(body), 10);
    common.writeUInt32LE(claimedBytes ?? body.length, 14);
    common.writeUInt32LE(claimedBytes ?? body.length, 18);
    common.writeUInt16LE(label.length, 22);
    locals.push(Buffer.from('PK\u0003\u0004'), common, label, body);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE((mode << 16) >>> 0, 6);
    tail.writeUInt32LE(offset, 10);
    centrals.push(Buffer.from('PK\u0001\u0002'), Buffer.from([20, 3]), common, tail, label);
    offset += 4 + 26 + label.length + body.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

export async function writeBytes(file: string, bytes: Buffer): Promise<string> {
  await pipeline(Readable.from([bytes]), createWriteStream(file));
  return file;
}
