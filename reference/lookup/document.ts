import { SEPARATOR } from './folding.js';
import { splitWords } from './normalization.js';

/** The values of a row that the index needs. */
export interface LookupRow {
  /** Exact, and distinct among rows that can be found together: the last tie-break. */
  id: bigint;
  /** Rows of higher weight come first; a row without one comes last. */
  weight: number | undefined;
  /** The values of a declared field: none where it is absent, several where it is a list. */
  texts(field: string): readonly string[];
}

/** Reads a row by its number: when it is indexed, and for each hit. */
export type LookupSource = (row: number) => LookupRow;

export interface LookupFields {
  /** Fields that name a row; the first one also breaks ties. */
  names: readonly string[];
  /** Alternative names, which rank below all name matches: country, region, former names. */
  aliases: readonly string[];
}

/** A row split into words, before it is part of a segment. */
export interface Document {
  row: number;
  id: bigint;
  weight: number;
  /** The words of the first name field, joined by single separators. */
  name: string;
  /** One section of words per name field, and a last one for all aliases. */
  sections: string[][];
}

export function createDocumentReader({ names, aliases }: LookupFields): (row: number, shown: LookupRow) => Document {
  const splitAlias = memoized(splitWords); // countries and regions repeat
  return (row, shown) => {
    const { id, weight = -Infinity } = shown;
    const sections: string[][] = [];
    for (const field of names) sections.push(shown.texts(field).flatMap(splitWords));
    sections.push(aliases.flatMap((field) => shown.texts(field).flatMap(splitAlias)));
    const name = sections[0]?.join(SEPARATOR) ?? '';
    return { row, id, weight: Number.isNaN(weight) ? -Infinity : weight, name, sections };
  };
}

const MEMO_LIMIT = 10_000;

function memoized<T>(compute: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    let value = known.get(text);
    if (value === undefined) {
      if (known.size >= MEMO_LIMIT) known.clear();
      known.set(text, (value = compute(text)));
    }
    return value;
  };
}
