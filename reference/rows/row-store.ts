import { createIdTable } from './id-table.js';
import { NONE, OPEN, RowTable } from './row-table.js';
import { createTextArena, type TextLocation } from './text-arena.js';

export interface NewRow {
  id: bigint;
  /** Version of the entity. */
  version: number;
  /** Position from which on it is the state of its entity. */
  from: number;
  /** The text of a fetch, ready to be sent; for a deleted entity its time of deletion. */
  bytes: Uint8Array;
  deleted: boolean;
}

/** A row as a snapshot has it. */
export interface KeptRow extends NewRow {
  /** Position from which on another row is the state of its entity; undefined: this one still is. */
  to: number | undefined;
}

/**
 * Every state of every entity that a reader may still request, by row number: a change adds a row and closes the one
 * before, so the state of the whole at an earlier position is the rows with `from <= position < to`. Columns and
 * indexes use the same numbers. The newest row of an entity stays for ever, also when it says "deleted".
 */
export class RowStore {
  private readonly table = new RowTable();
  private readonly texts = createTextArena();
  private readonly byId = createIdTable((row) => this.id(row));
  private readonly free: number[] = [];
  /** Closed rows, in the order in which they were closed. */
  private readonly closed: number[] = [];
  private liveRows = 0;

  /** Adds the newest state of an entity. @returns its row number */
  add(given: NewRow): number {
    const { table, byId } = this;
    const { id, from } = given;
    const old = byId.get(id);
    const row = this.free.pop() ?? table.open();
    this.fill(row, given, OPEN);
    table.befores[row] = old;
    if (old !== NONE) {
      table.tos[old] = from;
      this.closed.push(old);
      if (table.deleted[old] === 0) this.liveRows -= 1;
    }
    if (!given.deleted) this.liveRows += 1;
    byId.set(id, row);
    return row;
  }

  /** Adds the next row of a snapshot; `link` is called after the last one. */
  restore(given: KeptRow): void {
    const row = this.table.open();
    this.fill(row, given, given.to ?? OPEN);
    if (given.to !== undefined) {
      this.closed.push(row);
      return;
    }
    this.byId.set(given.id, row);
    if (!given.deleted) this.liveRows += 1;
  }
  /** Skips row numbers that the snapshot does not use, so that saved row numbers keep their meaning. */
  skip(count: number): void {
    for (let left = count; left > 0; left -= 1) {
      const row = this.table.open();
      this.table.deleted[row] = 1;
      this.free.push(row);
    }
  }
  /** Links the restored states of each entity. */
  link(): void {
    const { closed, table, byId } = this;
    const { tos, ids, befores } = table;
    closed.sort((one, other) => (tos[one] ?? 0) - (tos[other] ?? 0));
    /** The oldest row that is linked so far, by entity. */
    const oldest = new Map<bigint, number>();
    for (const row of closed.toReversed()) {
      const id = ids[row] ?? 0n;
      const after = oldest.get(id) ?? byId.get(id);
      if (after !== NONE) befores[after] = row;
      oldest.set(id, row);
    }
  }

  /** Returns the row as it was at a position; undefined when there is none, it came later, or no version shows it. */
  keptAt(row: number, position: number): (KeptRow & { bytes: Buffer }) | undefined {
    const { ids, froms, tos, versions, deleted } = this.table;
    const id = ids[row] ?? 0n;
    const from = froms[row] ?? OPEN;
    const to = tos[row] ?? OPEN;
    if (id === 0n || from > position || from === to) return undefined;
    const version = versions[row] ?? 0;
    const bytes = this.bytes(row);
    return { id, version, from, bytes, deleted: deleted[row] === 1, to: to > position ? undefined : to };
  }

  /** Returns the newest state of an entity, deleted or not; -1 when there never was one. */
  find(id: bigint): number {
    return this.byId.get(id);
  }

  /** Returns the state of an entity at a position; -1 when it had none, or it is not retained any more. */
  findAt(id: bigint, position: number): number {
    const { table } = this;
    let row = this.byId.get(id);
    while (row !== NONE && (table.froms[row] ?? 0) > position) row = table.before(row);
    return row;
  }

  /** Whether the row is the state of its entity at this position, and is not deleted. */
  isAt(row: number, position: number): boolean {
    const { table } = this;
    return table.deleted[row] === 0 && (table.froms[row] ?? OPEN) <= position && position < (table.tos[row] ?? 0);
  }

  id(row: number): bigint {
    return this.table.ids[row] ?? 0n;
  }
  version(row: number): number {
    return this.table.versions[row] ?? 0;
  }
  from(row: number): number {
    return this.table.froms[row] ?? 0;
  }
  isDeleted(row: number): boolean {
    return this.table.deleted[row] === 1;
  }
  /** Whether the row was added or replaced after the first and up to the second of two positions. */
  turnedBetween(row: number, after: number, upTo: number): boolean {
    const isBetween = (position = 0) => position > after && position <= upTo;
    return isBetween(this.table.froms[row]) || isBetween(this.table.tos[row]);
  }
  /** Returns a view, not a copy; it stays valid, as bytes are never overwritten. */
  bytes(row: number): Buffer {
    return this.texts.read(this.locationOf(row));
  }

  /**
   * Forgets states that were replaced at or before `position`.
   * @param drop called with each row number before it is given to another row
   */
  forget(position: number, drop: (row: number) => void): number {
    const { closed, table } = this;
    const cut = closed.findIndex((row) => (table.tos[row] ?? 0) > position);
    const gone = closed.splice(0, cut < 0 ? closed.length : cut);
    for (const row of gone) {
      drop(row);
      this.texts.drop(this.locationOf(row));
      table.ids[row] = 0n;
      table.deleted[row] = 1;
      this.free.push(row);
    }
    if (gone.length > 0) this.compact();
    return gone.length;
  }

  /** Row numbers are below this. */
  end(): number {
    return this.table.used;
  }
  /** Number of newest states that are not deleted. */
  live(): number {
    return this.liveRows;
  }
  /** Number of entities that exist or existed. */
  entities(): number {
    return this.byId.size();
  }
  sizeBytes(): number {
    return this.texts.sizeBytes() + this.byId.sizeBytes() + this.table.sizeBytes();
  }

  private fill(row: number, given: NewRow, to: number): void {
    this.table.set(row, given, to);
    this.store(row, given.bytes);
  }

  private store(row: number, bytes: Uint8Array): void {
    const { table } = this;
    const { slab, offset, length } = this.texts.add(bytes);
    table.slabs[row] = slab;
    table.offsets[row] = offset;
    table.lengths[row] = length;
  }

  private locationOf(row: number): TextLocation {
    const { slabs, offsets, lengths } = this.table;
    return { slab: slabs[row] ?? 0, offset: offsets[row] ?? 0, length: lengths[row] ?? 0 };
  }

  /** Moves the live texts out of slabs that are mostly holes. */
  private compact(): void {
    const { table, texts } = this;
    const worn = new Set(texts.worn());
    if (worn.size === 0) return;
    for (let row = 0; row < table.used; row += 1) {
      if (table.ids[row] !== 0n && worn.has(table.slabs[row] ?? 0)) this.store(row, this.bytes(row));
    }
    for (const slab of worn) texts.release(slab);
  }
}

export const createRowStore = (): RowStore => new RowStore();
