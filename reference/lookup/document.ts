import { SEPARATOR } from './fold.js';
import { splitWords } from './normalise.js';

/** The rows as their owner holds them. The index asks once per row that it takes in, and for the texts of each hit. */
export interface LookupSource {
  /** Exact, and different for every row: the last tie-break. */
  id(row: number): bigint;
  /** Rows of higher weight come first; without one a row comes last. */
  weight(row: number): number | undefined;
  /** The values of a declared field: none where it is absent, several where it is a list. */
  texts(row: number, field: string): readonly string[];
}

export interface LookupFields {
  /** Fields that name a row; the first one also breaks ties. */
  names: readonly string[];
  /** Fields that help to find a row, below all that its names find: country, region, former names. */
  aliases: readonly string[];
}

/** A row taken apart, before it is part of a segment. */
export interface Document {
  row: number;
  id: bigint;
  weight: number;
  /** The words of the first name field, joined by single separators. */
  name: string;
  /** One section of words per name field, and a last one for all aliases. */
  sections: string[][];
}

export function createDocumentReader(
  source: LookupSource,
  { names, aliases }: LookupFields,
): (row: number) => Document {
  const splitAlias = memoized(splitWords); // countries and regions repeat
  return (row) => {
    const weight = source.weight(row) ?? -Infinity;
    const sections: string[][] = [];
    for (const field of names) sections.push(source.texts(row, field).flatMap(splitWords));
    sections.push(aliases.flatMap((field) => source.texts(row, field).flatMap(splitAlias)));
    const name = sections[0]?.join(SEPARATOR) ?? '';
    return { row, id: source.id(row), weight: Number.isNaN(weight) ? -Infinity : weight, name, sections };
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
