/** Location of a text: its slab, offset and length. */
export interface TextLocation {
  slab: number;
  offset: number;
  length: number;
}

const FIRST_BYTES = 64 * 1_024;
const SLAB_BYTES = 16 * 2 ** 20;

/**
 * Many small byte strings in few large buffers: a million rows are not a million objects. Dropping a text leaves a
 * hole; `worn` lists the slabs that are mostly holes, so that their owner can move the live texts.
 */
export function createTextArena() {
  const slabs: { bytes: Buffer; used: number; dropped: number }[] = [];
  const free: number[] = [];
  let current = -1;
  /** Each slab is twice as large as the one before, up to a limit: a small dataset takes little memory. */
  let slabBytes = FIRST_BYTES;

  function open(atLeast: number): number {
    const bytes = Buffer.allocUnsafeSlow(Math.max(slabBytes, atLeast));
    slabBytes = Math.min(SLAB_BYTES, slabBytes * 2);
    const index = free.pop() ?? slabs.length;
    slabs[index] = { bytes, used: 0, dropped: 0 };
    return index;
  }

  const slabAt = (index: number) => {
    const slab = slabs[index];
    if (slab === undefined) throw new RangeError(`no slab ${index}`);
    return slab;
  };

  return {
    add(bytes: Uint8Array): TextLocation {
      const { length } = bytes;
      if (current < 0 || slabAt(current).used + length > slabAt(current).bytes.length) current = open(length);
      const slab = slabAt(current);
      const offset = slab.used;
      slab.bytes.set(bytes, offset);
      slab.used += length;
      return { slab: current, offset, length };
    },
    /** Returns a view, not a copy. It outlives its slab. */
    read: ({ slab, offset, length }: TextLocation): Buffer => slabAt(slab).bytes.subarray(offset, offset + length),
    drop({ slab, length }: TextLocation): void {
      slabAt(slab).dropped += length;
    },
    /** Lists slabs of which more than half is dropped; never the one that is being filled. */
    worn: (): number[] =>
      slabs.flatMap(({ used, dropped }, index) => (index !== current && used > 0 && dropped > used / 2 ? [index] : [])),
    /** Frees the memory of a slab; its texts must not be read any more. */
    release(index: number): void {
      slabs[index] = { bytes: Buffer.alloc(0), used: 0, dropped: 0 };
      free.push(index);
    },
    sizeBytes: () => slabs.reduce((sum, { bytes }) => sum + bytes.length, 0),
  };
}
