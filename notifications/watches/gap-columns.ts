import { createIdTable } from '../../reference/rows/id-table.js';

/** What is known of one entity. */
// prettier-ignore
export const STATES = {
  /** Not in the scope (any more); only its version is known. */
  out:      0,
  /** In the scope, and no gap is counted: nothing has changed yet, or what it is to stay is not so. */
  waiting:  1,
  /** A gap goes on: what was told of it stands in `told`. */
  open:     2,
  /** The gap came due during a pause that skips: nothing is told of it any more. */
  silenced: 3,
  /** It was absent once, and that was all: it is not armed again. */
  over:     4,
} as const;
export type State = (typeof STATES)[keyof typeof STATES];

/** Bits of `told`. */
export const EMITTED = { late: 1, absent: 2 } as const;

/** The entities of one watch in typed arrays: some 40 bytes each, with the table that finds them. */
export function createGapColumns() {
  let capacity = 1_024;
  let columns = make(capacity);
  let size = 0;
  const byId = createIdTable((slot) => columns.id[slot] ?? 0n);

  function grow(): void {
    capacity *= 2;
    const wider = make(capacity);
    wider.id.set(columns.id);
    wider.version.set(columns.version);
    wider.gap.set(columns.gap);
    wider.since.set(columns.since);
    wider.state.set(columns.state);
    wider.told.set(columns.told);
    wider.repeats.set(columns.repeats);
    columns = wider;
  }

  return {
    /** @returns -1 for an entity that was never in the scope */
    find: (id: bigint): number => byId.get(id),
    add(id: bigint): number {
      if (size === capacity) grow();
      columns.id[size] = id;
      byId.set(id, size);
      size += 1;
      return size - 1;
    },
    size: () => size,
    id: (slot: number): bigint => columns.id[slot] ?? 0n,
    /** Of the entity, as far as the log was read. */
    version: (slot: number): number => columns.version[slot] ?? 0,
    /** Version that began the gap. */
    gap: (slot: number): number => columns.gap[slot] ?? 0,
    since: (slot: number): number => columns.since[slot] ?? 0,
    state: (slot: number): State => (columns.state[slot] ?? 0) as State, // nothing else is ever put there
    told: (slot: number): number => columns.told[slot] ?? 0,
    /** Repeats of the absence that were told. */
    repeats: (slot: number): number => columns.repeats[slot] ?? 0,

    setVersion: (slot: number, version: number) => void (columns.version[slot] = version),
    setState: (slot: number, state: State) => void (columns.state[slot] = state),
    tell: (slot: number, bit: number) => void (columns.told[slot] = (columns.told[slot] ?? 0) | bit),
    setRepeats: (slot: number, repeats: number) => void (columns.repeats[slot] = repeats),
    /** A gap from here on, of which nothing is told yet. */
    open(slot: number, gap: number, since: number): void {
      columns.gap[slot] = gap;
      columns.since[slot] = since;
      columns.state[slot] = STATES.open;
      columns.told[slot] = 0;
      columns.repeats[slot] = 0;
    },
    sizeBytes: () => byId.sizeBytes() + capacity * BYTES,

    /** Everything, one column after the other. */
    encode(): Buffer {
      const parts = [Float64Array.of(size), ...Object.values(columns).map((column) => column.subarray(0, size))];
      return Buffer.concat(
        parts.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)),
      );
    },
    /** The same again, into columns that are empty. @returns how many bytes of it there were */
    decode(bytes: Buffer): number {
      const count = bytes.readDoubleLE(0);
      while (capacity < count) grow();
      let at = 8;
      for (const column of Object.values(columns)) {
        const length = count * column.BYTES_PER_ELEMENT;
        new Uint8Array(column.buffer).set(bytes.subarray(at, at + length));
        at += length;
      }
      for (size = 0; size < count; size += 1) byId.set(columns.id[size] ?? 0n, size);
      return at;
    },
  };
}
export type GapColumns = ReturnType<typeof createGapColumns>;

const make = (capacity: number) => ({
  id: new BigInt64Array(capacity),
  since: new Float64Array(capacity),
  version: new Uint32Array(capacity),
  gap: new Uint32Array(capacity),
  repeats: new Uint16Array(capacity),
  state: new Uint8Array(capacity),
  told: new Uint8Array(capacity),
});
const BYTES = 8 + 8 + 4 + 4 + 2 + 1 + 1;
