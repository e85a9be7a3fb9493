import { expect, test } from 'vitest';
import fc from 'fast-check';
import { mergePatch } from '../../../reference/rows/merge-patch.js';

// The cases of RFC 7396, appendix A.
// prettier-ignore
test.each<[unknown, unknown, unknown]>([
  [{ a: 'b' },              { a: 'c' },                 { a: 'c' }],
  [{ a: 'b' },              { b: 'c' },                 { a: 'b', b: 'c' }],
  [{ a: 'b' },              { a: null },                {}],
  [{ a: 'b', b: 'c' },      { a: null },                { b: 'c' }],
  [{ a: ['b'] },            { a: 'c' },                 { a: 'c' }],
  [{ a: 'c' },              { a: ['b'] },               { a: ['b'] }],
  [{ a: { b: 'c' } },       { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] },     { a: [1] },                 { a: [1] }],
  [['a', 'b'],              ['c', 'd'],                 ['c', 'd']],
  [{ a: 'b' },              ['c'],                      ['c']],
  [{ a: 'foo' },            null,                       null],
  [{ a: 'foo' },            'bar',                      'bar'],
  [{ e: null },             { a: 1 },                   { e: null, a: 1 }],
  [[1, 2],                  { a: 'b', c: null },        { a: 'b' }],
  [{},                      { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])('%j patched by %j is %j', (target, patch, expected) => {
  expect(mergePatch(target, patch)).toEqual(expected);
});

test('a member called __proto__ is a member, of the target and of the patch', () => {
  const patched = mergePatch(JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"b":2}}'));
  expect(JSON.stringify(patched)).toBe('{"__proto__":{"a":1,"b":2}}');
  expect(({} as { b?: number }).b).toBeUndefined();
});

test('neither the target nor the patch changes', () => {
  const json = fc.jsonValue({ maxDepth: 3 });
  fc.assert(
    fc.property(json, json, (target, patch) => {
      const before = JSON.stringify([target, patch]);
      mergePatch(target, patch);
      expect(JSON.stringify([target, patch])).toBe(before);
    }),
    { numRuns: 200 },
  );
});

/** The pseudo code of the RFC. */
function plain(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const isObject = typeof target === 'object' && target !== null && !Array.isArray(target);
  const result: Record<string, unknown> = isObject ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) Reflect.deleteProperty(result, name);
    else result[name] = plain(result[name], value);
  }
  return result;
}

test('patches do what the pseudo code of the RFC does, and a second time nothing more', () => {
  const key = fc.constantFrom('a', 'b', 'c');
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, 1, 'x', true),
      fc.dictionary(key, tie('value'), { noNullPrototype: true }),
      fc.array(tie('value'), { maxLength: 2 }),
    ),
  }));
  fc.assert(
    fc.property(value, value, (target, patch) => {
      const patched = mergePatch(target, patch);
      expect(patched).toEqual(plain(target, patch));
      expect(mergePatch(patched, patch)).toEqual(patched);
    }),
    { numRuns: 500 },
  );
});
