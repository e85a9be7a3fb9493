import { crc32 } from 'node:zlib';
import { SlipwayError } from '../../resources/errors.js';
import type { LookupFields } from './document.js';
import type { SegmentData } from './segment.js';
import { completeSegment } from './segment.js';
import type { SegmentsState } from './segments.js';
import { finish } from './steps.js';

/**
 * Four numbers of 32 bits: magic, format, checksum of all that follows, length of the header. The header, as JSON. Then
 * the arrays that it lists, each at a multiple of eight bytes. Numbers have the byte order of the machine; one of the
 * other order reads another magic.
 */
const MAGIC = 0x534c4b55;
/** To be raised with every change of the layout, of the folding or of the order of ranks. */
const FORMAT = 1;
const PREAMBLE = 16;
const CHECKED_FROM = 12;
const ALIGNMENT = 8;

interface Header {
  fields: LookupFields;
  /** The version that decides how texts are normalised. */
  unicode: string | undefined;
  segments: { slot: number; live: number; lengths: number[] }[];
  slots: number;
}

/** The arrays of a segment in the order in which they are written. */
function arraysOf({ vocabulary, rows, ids, weights, sections, words, nameOrder }: SegmentData) {
  return [vocabulary.units, vocabulary.starts, rows, ids, weights, sections, words, nameOrder];
}

export function encodeSegments({ segments, slots }: SegmentsState, fields: LookupFields): Buffer {
  const header: Header = {
    fields,
    unicode: process.versions.unicode,
    segments: segments.map(({ segment, slot, live }) => {
      return { slot, live, lengths: arraysOf(segment).map(({ length }) => length) };
    }),
    slots: slots.length,
  };
  const json = Buffer.from(JSON.stringify(header));
  const parts = [json, ...segments.flatMap(({ segment }) => arraysOf(segment)), slots];
  const bytes = Buffer.alloc(parts.reduce((offset, { byteLength }) => aligned(offset + byteLength), PREAMBLE));
  let offset = PREAMBLE;
  for (const part of parts) {
    bytes.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), offset);
    offset = aligned(offset + part.byteLength);
  }
  const preamble = new Uint32Array(bytes.buffer, bytes.byteOffset, 4);
  preamble.set([MAGIC, FORMAT, 0, json.length]);
  preamble[2] = crc32(bytes.subarray(CHECKED_FROM));
  return bytes;
}

/**
 * The state as it was encoded. Large arrays are views of the bytes, which must not change any more.
 * @throws unavailable when the bytes are damaged or were made for other fields or by another version
 */
export function decodeSegments(given: Uint8Array, fields: LookupFields): SegmentsState {
  const bytes = given.byteOffset % ALIGNMENT === 0 ? given : Uint8Array.from(given);
  const { headerLength } = checkPreamble(bytes);
  const json = Buffer.from(bytes.subarray(PREAMBLE, PREAMBLE + headerLength)).toString();
  const header = JSON.parse(json) as Header; // the checksum holds, so it is what was written
  if (header.unicode !== process.versions.unicode) throw refusal('of another version of Unicode');
  if (JSON.stringify(header.fields) !== JSON.stringify(fields)) throw refusal('of other fields');

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

function checkPreamble(bytes: Uint8Array): { headerLength: number } {
  if (bytes.byteLength < PREAMBLE) throw refusal('too short');
  const [magic, format, checksum, headerLength = 0] = new Uint32Array(bytes.buffer, bytes.byteOffset, 4);
  if (magic !== MAGIC || format !== FORMAT) throw refusal('not of this format');
  if (crc32(bytes.subarray(CHECKED_FROM)) !== checksum) throw refusal('damaged');
  return { headerLength };
}

function refusal(why: string): SlipwayError {
  return new SlipwayError('unavailable', `the stored lookup index is ${why}: build it from the rows`);
}

function aligned(offset: number): number {
  return Math.ceil(offset / ALIGNMENT) * ALIGNMENT;
}
