/** `to` of a row that nothing has replaced. */
export const OPEN = 0xffff_ffff;
/** The row number of no row. */
export const NONE = -1;

const BYTES_PER_ROW = 35;

/** The fixed-size values of rows, one typed array per member: a million rows are no million objects. */
export class RowTable {
  ids = new BigInt64Array(1_024);
  versions = new Uint32Array(1_024);
  froms = new Uint32Array(1_024);
  tos = new Uint32Array(1_024);
  /** The row of the previous state of the same entity. */
  befores = new Int32Array(1_024);
  slabs = new Uint16Array(1_024);
  offsets = new Uint32Array(1_024);
  lengths = new Uint32Array(1_024);
  deleted = new Uint8Array(1_024);
  /** Row numbers are below this. */
  used = 0;

  /** Returns the next unused row number. */
  open(): number {
    if (this.used === this.ids.length) this.grow();
    this.used += 1;
    return this.used - 1;
  }

  set(row: number, values: { id: bigint; version: number; from: number; deleted: boolean }, to: number): void {
    this.ids[row] = values.id;
    this.versions[row] = values.version;
    this.froms[row] = values.from;
    this.tos[row] = to;
    this.befores[row] = NONE;
    this.deleted[row] = values.deleted ? 1 : 0;
  }

  /** Returns the row of the previous state while it is retained: its number may have been given to another row since. */
  before(row: number): number {
    const { befores, ids, tos, froms } = this;
    const candidate = befores[row] ?? NONE;
    const holds = candidate !== NONE && ids[candidate] === ids[row] && tos[candidate] === froms[row];
    return holds ? candidate : NONE;
  }

  sizeBytes(): number {
    return this.ids.length * BYTES_PER_ROW;
  }

  private grow(): void {
    const capacity = this.ids.length * 2;
    const copy = <A extends { set(from: A): void }>(made: A, from: A): A => (made.set(from), made);
    this.ids = copy(new BigInt64Array(capacity), this.ids);
    this.versions = copy(new Uint32Array(capacity), this.versions);
    this.froms = copy(new Uint32Array(capacity), this.froms);
    this.tos = copy(new Uint32Array(capacity), this.tos);
    this.befores = copy(new Int32Array(capacity), this.befores);
    this.slabs = copy(new Uint16Array(capacity), this.slabs);
    this.offsets = copy(new Uint32Array(capacity), this.offsets);
    this.lengths = copy(new Uint32Array(capacity), this.lengths);
    this.deleted = copy(new Uint8Array(capacity), this.deleted);
  }
}
