import { createIdTable } from '../../reference/rows/id-table.js';

/** The states of one entity's gap. */
// prettier-ignore
export const STATES = {
  /** Not in the scope (any more); only its version is known. */
  out:      0,
  /** In the scope without a gap: no change has counted yet, or the dwell filter does not match. */
  waiting:  1,
  /** A gap is open; `emitted` holds the events that were emitted about it. */
  open:     2,
  /** The gap came due during a pause that skips; no more events are emitted about it. */
  silenced: 3,
  /** The entity was absent once and is not armed again. */
  over:     4,
} as const;
export type State = (typeof STATES)[keyof typeof STATES];

/** Bits of `emitted`. */
export const EMITTED = { late: 1, absent: 2 } as const;

/** The state of one entity. */
export interface Gap {
  state: State;
  /** The entity's version where the log was read to. */
  version: number;
  /** Version that began the gap. */
  gap: number;
  since: number;
  emitted: number;
  /** Repeats of the absence that were emitted. */
  repeats: number;
}

/** The gaps of one watch in typed arrays: about 40 bytes for each entity, index included. */
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
    wider.emitted.set(columns.emitted);
    wider.repeats.set(columns.repeats);
    columns = wider;
  }

  const stateOf = (slot: number): State => (columns.state[slot] ?? 0) as State; // only states are ever written

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
    version: (slot: number): number => columns.version[slot] ?? 0,
    state: stateOf,
    read: (slot: number): Gap => ({
      state: stateOf(slot),
      version: columns.version[slot] ?? 0,
      gap: columns.gap[slot] ?? 0,
      since: columns.since[slot] ?? 0,
      emitted: columns.emitted[slot] ?? 0,
      repeats: columns.repeats[slot] ?? 0,
    }),
    write(slot: number, { state, version, gap, since, emitted, repeats }: Gap): void {
      columns.state[slot] = state;
      columns.version[slot] = version;
      columns.gap[slot] = gap;
      columns.since[slot] = since;
      columns.emitted[slot] = emitted;
      columns.repeats[slot] = repeats;
    },
    sizeBytes: () => byId.sizeBytes() + capacity * BYTES,

    /** Writes the columns one after another, in the order of `make`: stored checkpoints depend on that order. */
    encode(): Buffer {
      const parts = [Float64Array.of(size), ...Object.values(columns).map((column) => column.subarray(0, size))];
      return Buffer.concat(
        parts.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)),
      );
    },
    /** Reads encoded columns into empty ones. @returns the number of bytes read */
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
  emitted: new Uint8Array(capacity),
});
const BYTES = 8 + 8 + 4 + 4 + 2 + 1 + 1;
