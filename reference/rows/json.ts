import { isDeepStrictEqual } from 'node:util';
import { SlipwayError } from '../../platform/kinds/errors.js';

/** Rows nest far less; unbounded recursion could exhaust the stack. */
const DEEPEST = 64;
const INTEGER = /^-?\d{1,19}$/;
/** Longer slices of a string keep the whole string in memory. */
const SHORT = 12;
const NUMBER_OR_WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Top-level functions on a state object rather than closures: there are millions of rows. */
interface ParserState {
  readonly text: string;
  at: number;
}

/**
 * Parses strict JSON. An integer of at most 19 digits becomes bigint, every other number `number`, so that `1.0` and
 * `1e3` can be distinguished from integers. A duplicate member with a different value is refused.
 *
 * `lossless-json` takes 1.34 times as long (100,000 rows of an import, bigint integers) and does not limit nesting.
 * @throws body.malformed with the position
 */
export function parseJson(text: string): unknown {
  const reading = { text, at: 0 };
  const value = readValue(reading, 0);
  skipBlanks(reading);
  if (reading.at < text.length) fail(reading, 'nothing more is expected');
  return value;
}

function readValue(reading: ParserState, depth: number): unknown {
  skipBlanks(reading);
  const first = reading.text[reading.at];
  if (first === '"') return readText(reading);
  if (first !== '{' && first !== '[') return readNumberOrWord(reading);
  if (depth === DEEPEST) {
    throw new SlipwayError('body.malformed', `the body is nested deeper than ${DEEPEST} levels`);
  }
  reading.at += 1;
  return first === '{' ? readObject(reading, depth + 1) : readArray(reading, depth + 1);
}

function readObject(reading: ParserState, depth: number): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  skipBlanks(reading);
  if (took(reading, '}')) return members;
  do {
    skipBlanks(reading);
    if (reading.text[reading.at] !== '"') fail(reading, 'a name in quotes is expected');
    const name = readText(reading);
    skipBlanks(reading);
    if (!took(reading, ':')) fail(reading, '":" is expected');
    const value = readValue(reading, depth);
    if (Object.hasOwn(members, name) && !isDeepStrictEqual(members[name], value)) {
      fail(reading, `duplicate member "${name.slice(0, 60)}" with a different value`);
    }
    addMember(members, name, value);
    skipBlanks(reading);
  } while (took(reading, ','));
  if (!took(reading, '}')) fail(reading, '"," or "}" is expected');
  return members;
}

function addMember(members: Record<string, unknown>, name: string, value: unknown): void {
  // An assignment to this name would set the prototype.
  if (name === '__proto__') {
    Object.defineProperty(members, name, { value, enumerable: true, configurable: true, writable: true });
  } else members[name] = value;
}

function readArray(reading: ParserState, depth: number): unknown[] {
  const items: unknown[] = [];
  skipBlanks(reading);
  if (took(reading, ']')) return items;
  do {
    items.push(readValue(reading, depth));
    skipBlanks(reading);
  } while (took(reading, ','));
  if (!took(reading, ']')) fail(reading, '"," or "]" is expected');
  return items;
}

/** Finds the end of a text and leaves decoding to the engine: appending character by character is slow. */
function readText(reading: ParserState): string {
  const { text, at } = reading;
  const short = shortEnd(text, at + 1);
  if (short >= 0) {
    reading.at = short + 1;
    return text.slice(at + 1, short);
  }
  let end = text.indexOf('"', at + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  if (end < 0) return fail(reading, 'a text without end');
  try {
    const value = JSON.parse(text.slice(at, end + 1)) as string;
    reading.at = end + 1;
    return value;
  } catch {
    return fail(reading, 'a text with a character or an escape that JSON does not have');
  }
}

/** Returns the end of a short text without escapes, such as a member name; else -1. */
function shortEnd(text: string, from: number): number {
  for (let at = from; at <= from + SHORT; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) return at;
    if (!(unit >= 0x20) || unit === 0x5c) return -1;
  }
  return -1;
}

function readNumberOrWord(reading: ParserState): unknown {
  NUMBER_OR_WORD.lastIndex = reading.at;
  const [token] = NUMBER_OR_WORD.exec(reading.text) ?? [];
  if (token === undefined) return fail(reading, 'a value is expected');
  reading.at += token.length;
  const word = WORDS.get(token);
  return word === undefined ? toNumber(token) : word;
}

function skipBlanks(reading: ParserState): void {
  while (isBlank(reading.text.charCodeAt(reading.at))) reading.at += 1;
}
const isBlank = (unit: number): boolean => unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;

/** Consumes one character, if it is this one. */
function took(reading: ParserState, character: string): boolean {
  if (reading.text[reading.at] !== character) return false;
  reading.at += 1;
  return true;
}

/** Whether an odd number of backslashes precedes it. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}

// A bigint of a million digits would be expensive, and such an integer fits no type but decimal.
const toNumber = (text: string): bigint | number => (INTEGER.test(text) ? BigInt(text) : Number(text));

function fail({ at }: ParserState, message: string): never {
  throw new SlipwayError('body.malformed', `the body is not JSON: ${message}, at position ${at}`);
}

/** Writes a value of `parseJson` as JSON text; a bigint as its digits. */
export function stringifyJson(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map(stringifyJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${stringifyJson(member)}`).join(',')}}`;
}
