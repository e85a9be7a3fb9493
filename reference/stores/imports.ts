import type { Readable } from 'node:stream';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { DatasetImport } from '../dataset/import.js';
import { collections } from '../../platform/stores/collections.js';
import type { Database, Row } from '../../platform/stores/database.js';
import type { ObjectStore } from '../../platform/stores/objects.js';

/** Imports and their uploads. One writer at a time: the API until it is queued, then its run. */
export interface Imports {
  /** @throws import.not_found */
  get(id: string): Promise<DatasetImport>;
  put(given: DatasetImport): Promise<void>;
  /** The newest imports of a dataset first; ids say when each began. */
  list(dataset: string, limit: number): Promise<DatasetImport[]>;
  /** Stores a new import; it is listed by `open` until it is `settled`. */
  begin(given: DatasetImport): Promise<void>;
  open(): Promise<string[]>;
  /** Marks an ended import: its upload is removed, and it is no longer listed by `open`. */
  settled(id: string): Promise<void>;
  /** Returns the number of uploaded bytes. */
  uploaded(id: string): Promise<number>;
  /** Returns when the last part was uploaded; undefined before the first one. */
  lastUploadAt(id: string): Promise<string | undefined>;
  /**
   * Appends a part; a part that breaks off leaves nothing, or whole pieces of itself.
   * @param declaredBytes what the client says that the part has
   * @throws import.offset when the upload continues at another offset; too_large
   */
  append(id: string, offset: number, body: Readable, declaredBytes?: number): Promise<number>;
  /** Reads a part of the upload. @throws internal when the upload is incomplete */
  read(id: string, part: { start: number; end?: number | undefined }): AsyncGenerator<Buffer>;
  /** Removes the upload. */
  discard(id: string): Promise<void>;
}

/** An upload is stored in pieces of at most this size, the most that a broken request loses. */
const PIECE_BYTES = 8 * 2 ** 20;

interface ImportsOptions {
  database: Database;
  objects: ObjectStore;
  /** Largest upload. */
  maxBytes?: number;
}

export function createImports({ database, objects, maxBytes = Infinity }: ImportsOptions): Imports {
  const table = database.table<Row & { import: DatasetImport }>(collections.imports);
  const open = database.table(collections.openImports);
  const prefix = (id: string): string => `imports/${id}/`;
  const key = (id: string, offset: number): string => `${prefix(id)}${String(offset).padStart(15, '0')}`;

  /** Returns the pieces in order, up to the first gap. */
  async function pieces(id: string): Promise<Piece[]> {
    const found: Piece[] = [];
    let end = 0;
    for await (const { key: name, sizeBytes, updatedAt } of objects.list(prefix(id))) {
      if (name !== key(id, end)) break;
      found.push({ key: name, offset: end, sizeBytes, updatedAt });
      end += sizeBytes;
    }
    return found;
  }
  const put = (given: DatasetImport): Promise<void> => table.put({ _id: given.id, import: given });
  async function discard(id: string): Promise<void> {
    for await (const { key: name } of objects.list(prefix(id))) await objects.remove(name);
  }
  const uploaded = async (id: string): Promise<number> => {
    const last = (await pieces(id)).at(-1);
    return last === undefined ? 0 : last.offset + last.sizeBytes;
  };

  return {
    async get(id) {
      const row = await table.get(id);
      if (row === undefined) throw new SlipwayError('import.not_found', `there is no import "${id.slice(0, 63)}"`);
      return row.import;
    },
    put,
    async list(dataset, limit) {
      const where = [{ path: 'import.dataset', in: [dataset] }];
      return (await table.page({ where, skip: 0, limit })).rows.map((row) => row.import);
    },
    async begin(given) {
      // In this order: every open import can be read.
      await put(given);
      await open.put({ _id: given.id });
    },
    async open() {
      const ids: string[] = [];
      for await (const { _id } of open.scan()) ids.push(_id);
      return ids;
    },
    async settled(id) {
      await discard(id);
      await open.remove(id);
    },
    uploaded,
    lastUploadAt: async (id) => (await pieces(id)).at(-1)?.updatedAt,
    async append(id, offset, body, declaredBytes = 0) {
      const expected = await uploaded(id);
      if (offset !== expected) {
        throw new SlipwayError('import.offset', `the upload goes on at ${expected}`, { members: { offset: expected } });
      }
      refuseLarge(offset + declaredBytes, maxBytes);
      let end = offset;
      for await (const piece of inPieces(body)) {
        refuseLarge(end + piece.length, maxBytes);
        const { created } = await objects.put(key(id, end), piece, { ifAbsent: true });
        if (!created) throw new SlipwayError('import.offset', 'conflict: another request uploads to this import');
        end += piece.length;
      }
      return end;
    },
    async *read(id, { start, end }) {
      const found = await pieces(id);
      const last = found.at(-1);
      const there = last === undefined ? 0 : last.offset + last.sizeBytes;
      const stop = end ?? there;
      // An incomplete upload must be refused: in mode `replace` its missing rows would be deleted.
      if (there < stop) throw new SlipwayError('internal', `the upload of import ${id} is incomplete`);
      for (const piece of found) {
        let at = piece.offset;
        if (at + piece.sizeBytes <= start || at >= stop) continue;
        for await (const chunk of (await objects.open(piece.key)) as AsyncIterable<Buffer>) {
          const part = chunk.subarray(Math.max(0, start - at), Math.max(0, stop - at));
          if (part.length > 0) yield part;
          at += chunk.length;
        }
      }
    },
    discard,
  };
}

/** @throws too_large */
function refuseLarge(bytes: number, maxBytes: number): void {
  if (bytes <= maxBytes) return;
  throw new SlipwayError(
    'too_large',
    `an upload has at most ${maxBytes / 2 ** 20} MiB (SLIPWAY_MAX_IMPORT_MIB): split it into several imports`,
  );
}

interface Piece {
  key: string;
  offset: number;
  sizeBytes: number;
  updatedAt: string;
}

/** Cuts a body into pieces; whole pieces before a break are kept. @throws body.malformed when it breaks off */
async function* inPieces(body: Readable): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  for await (const chunk of unbroken(body)) {
    for (let from = 0; from < chunk.length;) {
      const part = chunk.subarray(from, from + PIECE_BYTES - heldBytes);
      held.push(part);
      heldBytes += part.length;
      from += part.length;
      if (heldBytes < PIECE_BYTES) continue;
      yield Buffer.concat(held);
      held = [];
      heldBytes = 0;
    }
  }
  if (heldBytes > 0) yield Buffer.concat(held);
}

async function* unbroken(body: Readable): AsyncGenerator<Buffer> {
  try {
    yield* body as AsyncIterable<Buffer>;
  } catch (cause) {
    throw new SlipwayError('body.malformed', 'the body ended early', { cause });
  }
}
