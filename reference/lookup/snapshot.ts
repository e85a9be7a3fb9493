import { crc32 } from 'node:zlib';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { LookupFields } from './document.js';
import type { SegmentData } from './segment.js';
import { completeSegment } from './segment.js';
import type { SegmentsState } from './segments.js';
import { finish } from './steps.js';

/**
 * The format: four numbers of 32 bits (magic, format, length of the header, 0); the header, as JSON; the arrays that it
 * lists, each at a multiple of eight bytes; and the checksum of everything before. Numbers have the byte order of the
 * machine; a machine of the other order reads another magic.
 */
const MAGIC = 0x534c4b55;
/** Must be raised with every change of the layout, of the folding or of the order of ranks. */
const FORMAT = 1;
const PREAMBLE = 16;
const ALIGNMENT = 8;
const PART_BYTES = 1 << 18;

interface Header {
  fields: LookupFields;
  madeFor: string;
  /** Unicode version, which determines how texts are normalized. */
  unicode: string | undefined;
  segments: { slot: number; live: number; lengths: number[] }[];
  slots: number;
}

/** The arrays of a segment in the order in which they are written. */
function arraysOf({ vocabulary, rows, ids, weights, sections, words, nameOrder }: SegmentData) {
  return [vocabulary.units, vocabulary.starts, rows, ids, weights, sections, words, nameOrder];
}

/** The options that an index was made for: one made for others is refused. */
export interface MadeFor {
  fields: LookupFields;
  /** Canonical text of further options that determine the content, chosen by the owner. */
  madeFor: string;
}

/** Encodes the current state in parts: the caller may wait in between while changes continue. */
export function encodeSegments(state: SegmentsState, { fields, madeFor }: MadeFor): Iterable<Buffer> {
  const slots = state.slots.slice();
  const segments = state.segments.map(({ segment, slot, live }) => ({ arrays: arraysOf(segment), slot, live }));
  const header: Header = {
    fields,
    madeFor,
    unicode: process.versions.unicode,
    segments: segments.map(({ arrays, slot, live }) => ({ slot, live, lengths: arrays.map(({ length }) => length) })),
    slots: slots.length,
  };
  const json = Buffer.from(JSON.stringify(header));
  const preamble = Uint32Array.of(MAGIC, FORMAT, json.length, 0);
  return withChecksum([preamble, json, ...segments.flatMap(({ arrays }) => arrays), slots]);
}

function* withChecksum(parts: readonly NodeJS.ArrayBufferView[]): Generator<Buffer> {
  let checksum = 0;
  for (const { buffer, byteOffset, byteLength } of parts) {
    const bytes = Buffer.from(buffer, byteOffset, byteLength);
    const padding = Buffer.alloc(aligned(byteLength) - byteLength);
    // No part has length 0, which zlib takes for a new checksum.
    for (let at = 0; at < byteLength; at += PART_BYTES) {
      const part = bytes.subarray(at, at + PART_BYTES);
      checksum = crc32(part, checksum);
      yield part;
    }
    if (padding.length === 0) continue;
    checksum = crc32(padding, checksum);
    yield padding;
  }
  yield Buffer.from(Uint32Array.of(checksum).buffer);
}

/**
 * Decodes a state. Large arrays are views of the bytes, which must not change afterwards.
 * @throws unavailable when the bytes are damaged or were made for other fields or by another version
 */
export function decodeSegments(given: Uint8Array, { fields, madeFor }: MadeFor): SegmentsState {
  const bytes = given.byteOffset % ALIGNMENT === 0 ? given : Uint8Array.from(given);
  const headerLength = checkWhole(bytes);
  const json = Buffer.from(bytes.subarray(PREAMBLE, PREAMBLE + headerLength)).toString();
  const header = JSON.parse(json) as Header; // the checksum is right, so this code wrote it
  if (header.unicode !== process.versions.unicode) throw refusal('of another version of Unicode');
  if (JSON.stringify([header.fields, header.madeFor]) !== JSON.stringify([fields, madeFor])) {
    throw refusal('for another declaration');
  }

  let offset = aligned(PREAMBLE + headerLength);
  function take<T extends NodeJS.ArrayBufferView>(View: ViewOf<T>, length = 0): T {
    const view = new View(bytes.buffer, bytes.byteOffset + offset, length);
    offset = aligned(offset + view.byteLength);
    return view;
  }
  const segments = header.segments.map(({ slot, live, lengths }) => {
    const [units, starts, rows, ids, weights, sections, words, nameOrder] = lengths;
    const data: SegmentData = {
      nameFields: fields.names.length,
      vocabulary: { units: take(Uint16Array, units), starts: take(Uint32Array, starts) },
      rows: take(Uint32Array, rows),
      ids: take(BigInt64Array, ids),
      weights: take(Float64Array, weights),
      sections: take(Uint32Array, sections),
      words: take(Uint32Array, words),
      nameOrder: take(Uint32Array, nameOrder),
    };
    return { segment: finish(completeSegment(data)), slot, live };
  });
  return { segments, slots: take(Uint8Array, header.slots).slice() };
}

type ViewOf<T> = new (buffer: ArrayBufferLike, offset: number, length: number) => T;

/** @returns the length of the header */
function checkWhole(bytes: Uint8Array): number {
  const end = bytes.byteLength - Uint32Array.BYTES_PER_ELEMENT;
  if (end < PREAMBLE || end % ALIGNMENT !== 0) throw refusal('too short');
  const [magic, format, headerLength = 0] = new Uint32Array(bytes.buffer, bytes.byteOffset, 3);
  if (magic !== MAGIC || format !== FORMAT) throw refusal('not of this format');
  const [checksum] = new Uint32Array(bytes.buffer, bytes.byteOffset + end, 1);
  if (crc32(bytes.subarray(0, end)) !== checksum) throw refusal('damaged');
  return headerLength;
}

function refusal(why: string): SlipwayError {
  return new SlipwayError('unavailable', `the stored lookup index is ${why}: build it from the rows`);
}

function aligned(offset: number): number {
  return Math.ceil(offset / ALIGNMENT) * ALIGNMENT;
}
