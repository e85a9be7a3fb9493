import type { Leaf } from '../dataset/dataset-leaves.js';
import { withCapacity } from './growing-array.js';
import { createIdDictionary, type IdDictionary } from './id-dictionary.js';
import { toHalves } from './int64.js';
import { createTextDictionary, type TextDictionary } from './text-dictionary.js';
import { createTextRanks, type TextRanks } from './text-ranks.js';

/** Code of an absent value. */
export const ABSENT = -1;
const NO_DAY = -(2 ** 31);

/** Texts and enums. */
export interface TextColumn {
  kind: 'text';
  codes: Int32Array;
  dictionary: TextDictionary;
  ranks: TextRanks;
}
/** Ids that many rows share: those of references, and what a field of type id holds. */
export interface IdColumn {
  kind: 'id';
  codes: Int32Array;
  dictionary: IdDictionary;
}
export interface Int64Column {
  kind: 'int64';
  high: Int32Array;
  low: Uint32Array;
  /** 1: something is there. */
  present: Uint8Array;
}
/** Decimals, times in milliseconds, dates in days, booleans as 0 and 1, versions. */
export interface NumberColumn {
  kind: 'number';
  type: 'number' | 'boolean' | 'date' | 'timestamp';
  values: Float64Array | Int32Array | Int8Array;
  /** Marks an absent value; for decimals it is `NaN`, which equals nothing. */
  absent: number;
}
export type ScalarColumn = TextColumn | IdColumn | Int64Column | NumberColumn;

/** The entries of row `r` are `counts[r]` entries of `items`, starting at `starts[r]`; -1: there is no list. */
export interface ListColumn {
  kind: 'list';
  starts: Uint32Array;
  counts: Int32Array;
  items: ScalarColumn;
  /** Number of entries in use, and of those that belong to a row. */
  used: number;
  live: number;
}
export type Column = ScalarColumn | ListColumn;

/** Predicates and orders keep references to the arrays of a column; a growing column replaces its arrays. */
export function createColumn(leaf: Leaf): Column {
  const items = createScalar(leaf);
  if (!leaf.list) return items;
  return { kind: 'list', starts: new Uint32Array(0), counts: new Int32Array(0), items, used: 0, live: 0 };
}

function createScalar({ path, type, values = [] }: Leaf): ScalarColumn {
  switch (type) {
    case 'text':
    case 'enum': {
      const dictionary = createTextDictionary();
      // Interned in declared order, so that codes sort in declared order.
      for (const value of values) dictionary.intern(value);
      return { kind: 'text', codes: new Int32Array(0), dictionary, ranks: createTextRanks(dictionary) };
    }
    case 'id':
      // Each row has another id: a dictionary would cost more than it saves.
      if (path === 'id') return createInt64();
      return { kind: 'id', codes: new Int32Array(0), dictionary: createIdDictionary() };
    case 'integer':
      if (path === 'version') return { kind: 'number', type: 'number', values: new Int32Array(0), absent: NO_DAY };
      return createInt64();
    case 'decimal':
      return { kind: 'number', type: 'number', values: new Float64Array(0), absent: NaN };
    case 'timestamp':
      return { kind: 'number', type, values: new Float64Array(0), absent: NaN };
    case 'date':
      return { kind: 'number', type, values: new Int32Array(0), absent: NO_DAY };
    case 'boolean':
      return { kind: 'number', type, values: new Int8Array(0), absent: ABSENT };
  }
}

const createInt64 = (): Int64Column => ({
  kind: 'int64',
  high: new Int32Array(0),
  low: new Uint32Array(0),
  present: new Uint8Array(0),
});

/** Whether a row, or an entry of a list, has a value there. */
export function presenceOf(column: Column): (index: number) => boolean {
  switch (column.kind) {
    case 'text':
    case 'id': {
      const { codes } = column;
      return (index) => (codes[index] ?? ABSENT) !== ABSENT;
    }
    case 'int64': {
      const { present } = column;
      return (index) => present[index] === 1;
    }
    case 'number': {
      const { values, absent } = column;
      return (index) => !Number.isNaN(values[index] ?? NaN) && values[index] !== absent;
    }
    case 'list': {
      const { counts } = column;
      return (index) => (counts[index] ?? ABSENT) !== ABSENT;
    }
  }
}

const DAY_MS = 86_400_000;
const DATE_LENGTH = '2026-03-01'.length;

/** Converts a normalized value to its number in a number column. */
export function toNumber(value: unknown): number {
  if (typeof value !== 'string') return Number(value);
  return value.length === DATE_LENGTH ? Date.parse(value) / DAY_MS : Date.parse(value);
}

/**
 * Sets a value of a stored row. `undefined` is absent, and so is a value of another type that an earlier declaration
 * accepted: versions under that declaration may still be read.
 */
export function setValue(column: ScalarColumn, at: number, value: unknown): void {
  switch (column.kind) {
    case 'text':
      column.codes = withCapacity(column.codes, at + 1, ABSENT);
      column.codes[at] = typeof value === 'string' ? column.dictionary.intern(value) : ABSENT;
      break;
    case 'id':
      column.codes = withCapacity(column.codes, at + 1, ABSENT);
      column.codes[at] = isInteger(value) ? column.dictionary.intern(value) : ABSENT;
      break;
    case 'int64': {
      column.high = withCapacity(column.high, at + 1);
      column.low = withCapacity(column.low, at + 1);
      column.present = withCapacity(column.present, at + 1);
      column.present[at] = isInteger(value) ? 1 : 0;
      const { high, low } = toHalves(isInteger(value) ? value : 0);
      column.high[at] = high;
      column.low[at] = low;
      break;
    }
    case 'number': {
      column.values = withCapacity(column.values, at + 1, column.absent);
      const number = isOfType(column, value) ? toNumber(value) : NaN;
      column.values[at] = Number.isNaN(number) ? column.absent : number;
      break;
    }
  }
}

const TIME = /^\d{4}-\d\d-\d\d(T|$)/;
const isOfType = ({ type }: NumberColumn, value: unknown): boolean => {
  if (type === 'number') return typeof value === 'number' || typeof value === 'bigint';
  if (type === 'boolean') return typeof value === 'boolean';
  return typeof value === 'string' && TIME.test(value) && (value.length === DATE_LENGTH) === (type === 'date');
};
const DIGITS = /^-?\d{1,19}$/;
/** Whether it is an integer of 64 bits: a decimal or a text of digits may be larger. */
const isInteger = (value: unknown): value is bigint | number | string =>
  Number.isSafeInteger(value) ||
  (typeof value === 'bigint' && BigInt.asIntN(64, value) === value) ||
  (typeof value === 'string' && DIGITS.test(value) && (value.length < 19 || isInRange(value)));
/** Texts of equal length are in the order of their numbers. */
const isInRange = (digits: string): boolean =>
  digits.startsWith('-') ? digits.length < 20 || digits <= '-9223372036854775808' : digits <= '9223372036854775807';
