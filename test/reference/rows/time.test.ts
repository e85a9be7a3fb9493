import { expect, test } from 'vitest';
import { createDraw } from '../../../examples/reference-data/random.js';
import { formatDate, formatTimestamp, parseDate, parseTimestamp } from '../../../reference/rows/time.js';
import { parseJsonValue, parseText, type ValueType } from '../../../reference/rows/value.js';

const { below, pick } = createDraw(33);
const padded = (value: number, width = 2): string => String(value).padStart(width, '0');
const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
const daysIn = (year: number, month: number): number =>
  [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;

test('exactly the days of the calendar are dates, and each is written as it was read', () => {
  let last: number | undefined;
  for (const year of [1, 4, 99, 100, 400, 1582, 1900, 1970, 2000, 2024, 2025, 9_999]) {
    last = undefined;
    for (let month = 0; month <= 13; month += 1) {
      for (let day = 0; day <= 32; day += 1) {
        const text = `${padded(year, 4)}-${padded(month)}-${padded(day)}`;
        const read = parseDate(text);
        const isDay = month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
        if ((read !== undefined) !== isDay) expect([text, read]).toBe(isDay);
        if (read === undefined) continue;
        if (formatDate(read) !== text) expect(formatDate(read)).toBe(text);
        if (last !== undefined && read !== last + 1) expect([text, read]).toBe(last + 1);
        last = read;
      }
    }
  }
  expect(parseDate('1970-01-01')).toBe(0);
});

test('a time with an offset is the time in UTC, whatever the spelling', () => {
  for (let round = 0; round < 1_000; round += 1) {
    const ms = Date.UTC(1800 + below(400), below(12), 1 + below(28), below(24), below(60), below(60), below(1_000));
    const minutes = below(24 * 60) * (below(2) === 0 ? -1 : 1);
    const local = new Date(ms + minutes * 60_000).toISOString().slice(0, -1);
    const offset = `${minutes < 0 ? '-' : '+'}${padded(Math.floor(Math.abs(minutes) / 60))}:${padded(Math.abs(minutes) % 60)}`;
    expect(parseTimestamp(`${local}${offset}`)).toBe(ms);
    const utc = new Date(ms).toISOString();
    expect(parseTimestamp(pick([utc, utc.toLowerCase(), utc.replace('T', 't')]))).toBe(ms);
    expect(parseTimestamp(formatTimestamp(ms))).toBe(ms);
  }
});

test.each([
  ['2026-03-01T08:00:00.5Z', 500],
  ['2026-03-01T08:00:00.05Z', 50],
  ['2026-03-01T08:00:00.050Z', 50],
  ['2026-03-01T08:00:00Z', 0],
])('%s has %d milliseconds', (text, ms) => {
  expect((parseTimestamp(text) ?? NaN) % 1_000).toBe(ms);
});

const PLAIN = ['text', 'integer', 'id', 'decimal', 'boolean', 'date', 'timestamp'] as const;
const STATE: ValueType = { type: 'enum', values: ['On', 'Off', 'caf\u00e9'] };

// prettier-ignore
test.each<[string, Partial<Record<(typeof PLAIN)[number], unknown>>]>([
  ['',                     { text: '' }],
  ['0',                    { text: '0', integer: 0n, decimal: 0 }],
  ['-0',                   { text: '-0', decimal: 0 }],
  ['1',                    { text: '1', integer: 1n, id: 1n, decimal: 1 }],
  ['-1',                   { text: '-1', integer: -1n, decimal: -1 }],
  ['01',                   { text: '01' }],
  ['+1',                   { text: '+1' }],
  [' 1',                   { text: ' 1' }],
  ['1.50',                 { text: '1.50', decimal: 1.5 }],
  ['1.',                   { text: '1.' }],
  ['.5',                   { text: '.5' }],
  ['1e3',                  { text: '1e3', decimal: 1_000 }],
  ['1E-3',                 { text: '1E-3', decimal: 0.001 }],
  ['1e400',                { text: '1e400' }],
  ['1e-400',               { text: '1e-400', decimal: 0 }],
  ['0x10',                 { text: '0x10' }],
  ['NaN',                  { text: 'NaN' }],
  ['9223372036854775807',  { text: '9223372036854775807', integer: 2n ** 63n - 1n, id: 2n ** 63n - 1n, decimal: 2 ** 63 }],
  ['9223372036854775808',  { text: '9223372036854775808', decimal: 2 ** 63 }],
  ['-9223372036854775808', { text: '-9223372036854775808', integer: -(2n ** 63n), decimal: -(2 ** 63) }],
  ['true',                 { text: 'true', boolean: true }],
  ['TRUE',                 { text: 'TRUE' }],
  ['e\u0301',              { text: '\u00e9' }],
  ['\ud800',               {}],
  ['a\0b',                 {}],
  ['2026-03-01',           { text: '2026-03-01', date: '2026-03-01' }],
  ['2026-03-01T01:00:00+02:00', { text: '2026-03-01T01:00:00+02:00', timestamp: '2026-02-28T23:00:00.000Z' }],
])('the text %j is a value of exactly these types', (text, values) => {
  const read = Object.fromEntries(PLAIN.map((type) => [type, parseText(text, { type })]));
  const { text: asText, integer, id, decimal, boolean, date, timestamp } = values;
  expect(read).toEqual({ text: asText, integer, id, decimal, boolean, date, timestamp });
});

test.each<[unknown, (typeof PLAIN)[number][]]>([
  [1n, ['integer', 'id', 'decimal']],
  [0n, ['integer', 'decimal']],
  [2n ** 63n, ['decimal']],
  [1.5, ['decimal']],
  [1, ['decimal']], // of `1.0` or `1e0`: integers come as bigint
  [Infinity, []],
  ['1', ['text', 'integer', 'id']],
  [true, ['boolean']],
  ['true', ['text']],
  [null, []],
  [[], []],
  [{}, []],
  [undefined, []],
])('JSON value %# is one of its types alone', (given, types) => {
  expect(PLAIN.filter((type) => parseJsonValue(given, { type }) !== undefined)).toEqual(types);
});

test('a value of an enum is compared in its normal form', () => {
  expect([parseText('On', STATE), parseText('on', STATE), parseText('', STATE)]).toEqual(['On', undefined, undefined]);
  expect(parseText('cafe\u0301', STATE)).toBe('caf\u00e9');
  expect(parseJsonValue('Off', STATE)).toBe('Off');
  expect([parseJsonValue(0n, STATE), parseText('On', { type: 'enum' })]).toEqual([undefined, undefined]);
});

test('zero has no sign', () => {
  for (const zero of [
    parseText('-0', { type: 'decimal' }),
    parseText('-0.0e5', { type: 'decimal' }),
    parseJsonValue(-0, { type: 'decimal' }),
  ]) {
    expect(Object.is(zero, 0)).toBe(true);
  }
});
