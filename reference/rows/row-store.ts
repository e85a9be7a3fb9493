import { createIdTable } from './id-table.js';
import { createTextArena } from './text-arena.js';

/** `to` of a row that nothing has replaced. */
const OPEN = 0xffff_ffff;
const NONE = -1;

export interface NewRow {
  id: bigint;
  /** Version of the entity. */
  version: number;
  /** Position from which on it is the state of its entity. */
  from: number;
  /** What a fetch answers, ready to be sent; of a deleted entity its time of deletion. */
  bytes: Uint8Array;
  deleted: boolean;
}

/** A row as a snapshot has it. */
export interface KeptRow extends NewRow {
  /** Position from which on another row is the state of its entity; undefined: this one still is. */
  to: number | undefined;
}

export type RowStore = ReturnType<typeof createRowStore>;

/**
 * Every state of every entity that some reader may still ask for, by row number: a change adds a row and closes the one
 * before, so the state of the whole at an earlier position is the rows with `from <= position < to`. Columns and
 * indexes use the same numbers. The newest row of an entity stays for ever, also when it says "deleted".
 */
export function createRowStore() {
  let capacity = 1_024;
  let ids = new BigInt64Array(capacity);
  let versions = new Uint32Array(capacity);
  let froms = new Uint32Array(capacity);
  let tos = new Uint32Array(capacity);
  let befores = new Int32Array(capacity);
  let slabOf = new Uint16Array(capacity);
  let offsets = new Uint32Array(capacity);
  let lengths = new Uint32Array(capacity);
  let deleted = new Uint8Array(capacity);
  let used = 0;
  let live = 0;
  const free: number[] = [];
  /** Closed rows, in the order in which they were closed. */
  const closed: number[] = [];
  const slabs = createTextArena();
  const byId = createIdTable((row) => ids[row] ?? 0n);

  function grow(): void {
    capacity *= 2;
    const copy = <A extends { set(from: A): void }>(made: A, from: A): A => (made.set(from), made);
    ids = copy(new BigInt64Array(capacity), ids);
    versions = copy(new Uint32Array(capacity), versions);
    froms = copy(new Uint32Array(capacity), froms);
    tos = copy(new Uint32Array(capacity), tos);
    befores = copy(new Int32Array(capacity), befores);
    slabOf = copy(new Uint16Array(capacity), slabOf);
    offsets = copy(new Uint32Array(capacity), offsets);
    lengths = copy(new Uint32Array(capacity), lengths);
    deleted = copy(new Uint8Array(capacity), deleted);
  }

  const placeOf = (row: number) => ({ slab: slabOf[row] ?? 0, offset: offsets[row] ?? 0, length: lengths[row] ?? 0 });

  function store(row: number, bytes: Uint8Array): void {
    const { slab, offset, length } = slabs.add(bytes);
    slabOf[row] = slab;
    offsets[row] = offset;
    lengths[row] = length;
  }

  /** The state before this one, as long as it is kept. A number may have been given to another row since. */
  function before(row: number): number {
    const candidate = befores[row] ?? NONE;
    const holds = candidate !== NONE && ids[candidate] === ids[row] && tos[candidate] === froms[row];
    return holds ? candidate : NONE;
  }

  /** Moves what lives in slabs that are mostly holes. */
  function compact(): void {
    const worn = new Set(slabs.worn());
    if (worn.size === 0) return;
    for (let row = 0; row < used; row += 1) {
      if (ids[row] !== 0n && worn.has(slabOf[row] ?? 0)) store(row, slabs.read(placeOf(row)));
    }
    for (const slab of worn) slabs.release(slab);
  }

  /** The next number that no row had before. */
  function open(): number {
    if (used === capacity) grow();
    used += 1;
    return used - 1;
  }

  function fill(row: number, { id, version, from, bytes, deleted: isDeleted }: NewRow, to: number): void {
    ids[row] = id;
    versions[row] = version;
    froms[row] = from;
    tos[row] = to;
    befores[row] = NONE;
    deleted[row] = isDeleted ? 1 : 0;
    store(row, bytes);
  }

  return {
    /** Makes it the newest state of its entity. @returns its row number */
    add(given: NewRow): number {
      const { id, from, deleted: isDeleted } = given;
      const old = byId.get(id);
      const row = free.pop() ?? open();
      fill(row, given, OPEN);
      befores[row] = old;
      if (old !== NONE) {
        tos[old] = from;
        closed.push(old);
        if (deleted[old] === 0) live -= 1;
      }
      if (!isDeleted) live += 1;
      byId.set(id, row);
      return row;
    },

    /** Puts the next row of a snapshot in its place; `link` comes when all are there. */
    restore(given: KeptRow): void {
      const row = open();
      fill(row, given, given.to ?? OPEN);
      if (given.to !== undefined) {
        closed.push(row);
        return;
      }
      byId.set(given.id, row);
      if (!given.deleted) live += 1;
    },
    /** Row numbers that the snapshot does not use: whatever names rows by their numbers goes on to mean the same. */
    skip(count: number): void {
      for (let left = count; left > 0; left -= 1) {
        const row = open();
        deleted[row] = 1;
        free.push(row);
      }
    },
    link(): void {
      closed.sort((one, other) => (tos[one] ?? 0) - (tos[other] ?? 0));
      /** The oldest row that is linked so far, by entity. */
      const oldest = new Map<bigint, number>();
      for (const row of closed.toReversed()) {
        const id = ids[row] ?? 0n;
        const after = oldest.get(id) ?? byId.get(id);
        if (after !== NONE) befores[after] = row;
        oldest.set(id, row);
      }
    },

    /** The row as it was at a position; undefined when there is none, it came later, or no version shows it. */
    keptAt(row: number, position: number): (KeptRow & { bytes: Buffer }) | undefined {
      const id = ids[row] ?? 0n;
      const from = froms[row] ?? OPEN;
      const to = tos[row] ?? OPEN;
      if (id === 0n || from > position || from === to) return undefined;
      const version = versions[row] ?? 0;
      const bytes = slabs.read(placeOf(row));
      return { id, version, from, bytes, deleted: deleted[row] === 1, to: to > position ? undefined : to };
    },

    /** The newest state of an entity, deleted or not; -1 when there never was one. */
    find: (id: bigint): number => byId.get(id),

    /** The state of an entity at a position; -1 when it had none, or it is not kept any more. */
    findAt(id: bigint, position: number): number {
      let row = byId.get(id);
      while (row !== NONE && (froms[row] ?? 0) > position) row = before(row);
      return row;
    },

    /** Whether the row is the state of its entity at this position, and is not deleted. */
    isAt: (row: number, position: number): boolean =>
      deleted[row] === 0 && (froms[row] ?? OPEN) <= position && position < (tos[row] ?? 0),

    id: (row: number): bigint => ids[row] ?? 0n,
    version: (row: number): number => versions[row] ?? 0,
    from: (row: number): number => froms[row] ?? 0,
    /** Whether the row came, or was replaced, behind the first and up to the second of two positions. */
    turnedBetween: (row: number, after: number, upTo: number): boolean => {
      const isBetween = (position = 0) => position > after && position <= upTo;
      return isBetween(froms[row]) || isBetween(tos[row]);
    },
    isDeleted: (row: number): boolean => deleted[row] === 1,
    /** A view, no copy; it stays good, as bytes are never written twice. */
    bytes: (row: number): Buffer => slabs.read(placeOf(row)),

    /**
     * Forgets states that were replaced at or before `position`.
     * @param drop told each row number before it is given to another row
     */
    forget(position: number, drop: (row: number) => void): number {
      const cut = closed.findIndex((row) => (tos[row] ?? 0) > position);
      const gone = closed.splice(0, cut < 0 ? closed.length : cut);
      for (const row of gone) {
        drop(row);
        slabs.drop(placeOf(row));
        ids[row] = 0n;
        deleted[row] = 1;
        free.push(row);
      }
      if (gone.length > 0) compact();
      return gone.length;
    },

    /** Row numbers are below this. */
    end: () => used,
    /** Newest states that are not deleted. */
    live: () => live,
    /** Entities that there are or were. */
    entities: () => byId.size(),
    sizeBytes: () => slabs.sizeBytes() + byId.sizeBytes() + capacity * 35,
  };
}
