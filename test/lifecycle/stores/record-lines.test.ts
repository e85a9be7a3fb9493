import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { readRecords, splitLines } from '../../../lifecycle/stores/record-lines.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';

async function split(chunks: (string | Buffer)[], longest?: number): Promise<(string | undefined)[]> {
  const body = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
  const lines: (string | undefined)[] = [];
  for await (const line of splitLines(body, longest)) lines.push(line?.toString());
  return lines;
}

test.each<[string, string[], string[]]>([
  ['one line without an end', ['a'], ['a']],
  ['a line feed at the end', ['a\n'], ['a']],
  ['empty lines', ['\n\na\n'], ['', '', 'a']],
  ['lines over several chunks', ['a', 'b\nc', '', 'd\n', 'e'], ['ab', 'cd', 'e']],
  ['a line feed as a chunk', ['a', '\n', 'b'], ['a', 'b']],
  ['other ends of lines, which JSON text may have', ['a\u2028b\r\nc'], ['a\u2028b\r', 'c']],
  ['nothing', [], []],
])('%s', async (_, chunks, expected) => {
  expect(await split(chunks)).toEqual(expected);
});

test('a character that is cut between chunks is whole again', async () => {
  const bytes = Buffer.from('größe 🍷\n');
  const chunks = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
  expect(await split(chunks)).toEqual(['größe 🍷']);
});

test('a line above the limit is left out, and those beside it are read', async () => {
  expect(await split(['abc\nab', 'cd\nabc'], 3)).toEqual(['abc', undefined, 'abc']);
  expect(await split(['abcd'], 3)).toEqual([undefined]);
});

test('a record is a JSON object; any other line is counted and has no fields', async () => {
  const objects = createMemoryObjects();
  await objects.put('file', '{"a":1}\n[1]\nnull\n"a"\n{broken\n\n{"b":{"c":"\\ud83c\\udf77"}}');
  const found: (object | undefined)[] = [];
  for await (const line of readRecords(objects, 'file')) found.push(line?.fields);
  expect(found).toEqual([{ a: 1 }, undefined, undefined, undefined, undefined, undefined, { b: { c: '🍷' } }]);
});

test('a file that is not there is an error of the store', async () => {
  const read = async () => {
    for await (const _ of readRecords(createMemoryObjects(), 'file')) break;
  };
  await expect(read()).rejects.toMatchObject({ code: 'not_found' });
});
