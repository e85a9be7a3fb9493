import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkPrecondition, parseIfMatch, preconditionOf } from '../../../api/reference/precondition.js';
import { etagOf } from '../../../api/reference/representation.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';

const AT = '2026-01-01T00:00:00.000Z';
const live = (version: number) => ({ version, body: '{}', at: AT });
const deleted = (version: number) => ({ version, body: null, at: AT });
const read = (headers: Record<string, string>) => preconditionOf({ headers });

/** The code that a write is refused with; undefined when it may go on. */
function refusal(headers: Record<string, string>, current?: ReturnType<typeof live | typeof deleted>, blind = false) {
  try {
    checkPrecondition(current, { precondition: read(headers), generation: 3, blind });
    return undefined;
  } catch (err) {
    return err instanceof SlipwayError ? err.code : err;
  }
}

test('the tag of any representation of a version names that version', () => {
  const ids = fc.constantFrom('string' as const, 'number' as const);
  const fields = fc.option(fc.string(), { nil: undefined });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 999_999_999 }),
      fc.nat(1_000),
      ids,
      fields,
      (version, generation, form, text) => {
        const tag = etagOf({ version, generation, ids: form, fields: text });
        expect(parseIfMatch(tag)).toEqual({ kind: 'versions', versions: [version] });
      },
    ),
  );
});

test.each([
  ['W/"1.3.abc"', 'a weak tag'],
  ['1.3.abc', 'a tag without quotes'],
  ['"1"', 'a version alone'],
  ['"1.3.abc', 'a quote that does not end'],
  ['"-1.3.abc"', 'a negative version'],
  ['"1e3.3.abc"', 'another spelling of a number'],
  ['"99999999999.3.abc"', 'more digits than a version has'],
  ['"1.3.a b"', 'a space'],
  ['', 'nothing'],
  ['"١.3.abc"', 'digits of another script'],
])('%s matches no version: %s', (text) => {
  expect(refusal({ 'if-match': text }, live(1))).toBe('write.precondition');
});

test('one of several tags is enough, around any spaces', () => {
  expect(parseIfMatch(' "1.3.a" ,"7.1.b-_",W/"9.1.c"')).toEqual({ kind: 'versions', versions: [1, 7, NaN] });
  expect(refusal({ 'if-match': '"1.3.a", "7.3.a"' }, live(7))).toBeUndefined();
  expect(refusal({ 'if-match': '"1.3.a", "7.3.a"' }, live(8))).toBe('write.precondition');
});

test.each([
  ['nothing is sent', {}, ['write.precondition_required', undefined, undefined, undefined]],
  ['If-None-Match: *', { 'if-none-match': ' * ' }, ['write.precondition', 'write.precondition', undefined, undefined]],
  ['If-Match: *', { 'if-match': '*' }, [undefined, undefined, 'write.precondition', 'write.precondition']],
  [
    'the tag of the version',
    { 'if-match': '"5.3.a"' },
    [undefined, undefined, 'write.precondition', 'write.precondition'],
  ],
  ['an older tag', { 'if-match': '"4.3.a"' }, Array(4).fill('write.precondition')],
])('where %s, a row that exists, one that may be overwritten, a deleted and an unknown one', (_, headers, expected) => {
  const found = [
    refusal(headers, live(5)),
    refusal(headers, live(5), true),
    refusal(headers, deleted(5)),
    refusal(headers),
  ];
  expect(found).toEqual(expected);
});

test('a refusal names the tag of the present state, and none of a row that is not there', () => {
  const membersOf = (current: ReturnType<typeof live | typeof deleted> | undefined) => {
    try {
      checkPrecondition(current, { precondition: { kind: 'versions', versions: [1] }, generation: 3, blind: false });
    } catch (err) {
      return (err as SlipwayError).members;
    }
    return 'accepted';
  };
  expect(membersOf(live(2))).toEqual({ etag: etagOf({ version: 2, generation: 3, ids: 'string' }) });
  expect([membersOf(deleted(2)), membersOf(undefined)]).toEqual([{}, {}]);
});

test.each([
  ['both headers', { 'if-match': '*', 'if-none-match': '*' }],
  ['a tag in If-None-Match', { 'if-none-match': '"1.3.a"' }],
  ['an empty If-None-Match', { 'if-none-match': '' }],
])('%s of a write is a request that cannot be meant', (_, headers) => {
  expect(refusal(headers)).toBe('parameter.invalid');
});
