import type { ScalarType } from '../dataset/dataset-field.js';
import { ID_WORDS, parseId, parseInteger } from './id.js';
import { formatDate, formatTimestamp, parseDate, parseTimestamp } from './time.js';

/**
 * A value in its one normal form: text in NFC, `id` and `integer` as bigint, `decimal` as a finite number without -0,
 * dates as `2026-03-01`, timestamps in UTC with milliseconds.
 */
export type Scalar = string | number | bigint | boolean;

/** The type of a value; `values` are those of an enum. */
export interface ValueType {
  type: ScalarType;
  values?: readonly string[];
}

/** Descriptions of the accepted input of each type, which follow "takes" in messages. */
// prettier-ignore
export const VALUE_WORDS = {
  text:      'text',
  integer:   'an integer of 64 bits',
  id:        ID_WORDS,
  decimal:   'a number',
  boolean:   'true or false',
  date:      'a date such as 2026-03-01',
  timestamp: 'a time such as 2026-03-01T08:00:00.250Z, in milliseconds at the finest',
  enum:      'one of its values',
} as const satisfies Record<ScalarType, string>;

const DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
/** Matches text that is refused: a lone surrogate, and NUL, at which some stores end a text. */
const BROKEN = /[\p{Surrogate}\0]/u;

type Read = (text: string, type: ValueType) => Scalar | undefined;
// prettier-ignore
const READERS: Record<ScalarType, Read> = {
  text:      (text) => (BROKEN.test(text) ? undefined : text.normalize('NFC')),
  integer:   (text) => parseInteger(text),
  id:        (text) => parseId(text),
  decimal:   (text) => (DECIMAL.test(text) ? toDecimal(Number(text)) : undefined),
  boolean:   (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  date:      (text) => mapped(parseDate(text), formatDate),
  timestamp: (text) => mapped(parseTimestamp(text), formatTimestamp),
  enum:      (text, { values = [] }) => {
    const value = text.normalize('NFC');
    return values.includes(value) ? value : undefined;
  },
};

/** Parses the text of a value in a filter, a path or a cell. @returns undefined when the type does not accept it */
export function parseText(text: string, type: ValueType): Scalar | undefined {
  return READERS[type.type](text, type);
}

type ReadJson = (given: unknown, type: ValueType) => Scalar | undefined;
const asText: ReadJson = (given, type) => (typeof given === 'string' ? parseText(given, type) : undefined);
// prettier-ignore
const JSON_READERS: Record<ScalarType, ReadJson> = {
  text:      asText,
  enum:      asText,
  date:      asText,
  timestamp: asText,
  integer:   parseInteger,
  id:        parseId,
  decimal:   (given) => (typeof given === 'number' || typeof given === 'bigint' ? toDecimal(Number(given)) : undefined),
  boolean:   (given) => (typeof given === 'boolean' ? given : undefined),
};

/** Validates a value of the lossless parser; ids and integers may be bigint or strings of digits. */
export const parseJsonValue: ReadJson = (given, type) => JSON_READERS[type.type](given, type);

/** Normalizes -0, which equals 0 but is written otherwise. */
const toDecimal = (value: number): number | undefined => (Number.isFinite(value) ? value + 0 : undefined);

const mapped = (value: number | undefined, format: (value: number) => string) =>
  value === undefined ? undefined : format(value);
