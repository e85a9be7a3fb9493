import { createDraw } from '../../../examples/reference-data/random.js';
import { createDocumentReader, type Document } from '../../../reference/lookup/document.js';
import { completeSegment, type Segment } from '../../../reference/lookup/segment.js';
import { buildSegment } from '../../../reference/lookup/segment-builder.js';
import { finish } from '../../../reference/lookup/steps.js';
import { WORLD_FIELDS, type WorldRow, worldSource } from './world.js';

/** Documents of the rows of a small world, by row number. */
export function documentsOf(rows: Map<number, WorldRow>): Document[] {
  const read = createDocumentReader(WORLD_FIELDS);
  const source = worldSource(rows);
  return [...rows.keys()].map((row) => read(row, source(row)));
}

/** A complete segment of documents with two name fields. */
export const segmentOf = (documents: readonly Document[]): Segment =>
  finish(completeSegment(buildSegment(documents, 2)));

/** Texts of few short words, so that words, prefixes and names repeat. */
export function createTexts(seed: number) {
  const { below, pick } = createDraw(seed);
  const word = (most = 5): string => Array.from({ length: 1 + below(most) }, () => pick(['a', 'b', 'c'])).join('');
  const text = (most = 3): string => Array.from({ length: below(most + 1) }, () => word()).join(' ');
  const rows = (count: number): Map<number, WorldRow> =>
    new Map(
      Array.from({ length: count }, (_, at) => [
        at,
        { id: BigInt(at + 1), name: text(), other: text(2), country: text(1), code: text(2), weight: below(4) },
      ]),
    );
  return { below, pick, word, text, rows };
}
