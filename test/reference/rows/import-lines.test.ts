import { expect, test } from 'vitest';
import { createDraw } from '../../../examples/reference-data/random.js';
import { type Line, readLines } from '../../../reference/rows/import-lines.js';

async function linesOf(chunks: readonly Buffer[], { offset = 0, line = 0, mostBytes = 100 } = {}): Promise<Line[]> {
  async function* stream(): AsyncGenerator<Buffer> {
    yield* chunks;
  }
  const lines: Line[] = [];
  for await (const each of readLines(stream(), { offset, line, mostBytes })) lines.push(each);
  return lines;
}

/** Cuts bytes at random places, some pieces empty. */
function cut(bytes: Buffer, below: (end: number) => number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = Math.min(bytes.length, at + below(7));
    pieces.push(bytes.subarray(at, end));
    at = end;
  }
  return pieces;
}

test('lines are the same however the bytes arrive, with their numbers and ends', async () => {
  const { below, pick } = createDraw(15);
  for (let round = 0; round < 80; round += 1) {
    const text = Array.from({ length: below(40) }, () => pick(['a', 'bc', 'é', '😀', '\r', '\n', '\n'])).join('');
    const bytes = Buffer.from(text);
    // Plain: split everything, and drop what follows the last line end if it is empty.
    const parts = text.split('\n');
    if (parts.at(-1) === '') parts.pop();
    let end = 0;
    const expected = parts.map((part, at) => {
      end = Math.min(bytes.length, end + Buffer.byteLength(part) + 1);
      return [at + 1, end, part];
    });
    const found = await linesOf(cut(bytes, below));
    expect(found.map(({ number, end: after, bytes: line }) => [number, after, line?.toString()])).toEqual(expected);
  }
});

test('numbers and ends continue those of the lines before', async () => {
  expect(await linesOf([Buffer.from('ab\nc')], { offset: 1_000, line: 41 })).toEqual([
    { number: 42, end: 1_003, bytes: Buffer.from('ab') },
    { number: 43, end: 1_004, bytes: Buffer.from('c') },
  ]);
});

test.each([
  ['as long as the limit', 10, true],
  ['one byte longer', 11, false],
])('a line %s', async (_, length, isRead) => {
  for (const size of [1, 3, 11, 100]) {
    const bytes = Buffer.from(`${'x'.repeat(length)}\nnext\n${'y'.repeat(length)}`);
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (__, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    );
    const found = await linesOf(chunks, { mostBytes: 10 });
    expect(found.map((line) => line.bytes !== undefined)).toEqual([isRead, true, isRead]);
    expect(found.map(({ end }) => end)).toEqual([length + 1, length + 6, 2 * length + 6]);
  }
});

test('nothing is a line of nothing', async () => {
  expect(await linesOf([])).toEqual([]);
  expect(await linesOf([Buffer.alloc(0)])).toEqual([]);
  expect((await linesOf([Buffer.from('\n\n')])).map(({ bytes }) => bytes?.length)).toEqual([0, 0]);
});

test('a reader that stops early reads no further chunk', async () => {
  let read = 0;
  async function* endless(): AsyncGenerator<Buffer> {
    for (;;) {
      read += 1;
      yield Buffer.from('a\nb\n');
    }
  }
  for await (const { number } of readLines(endless(), { offset: 0, line: 0, mostBytes: 5 })) if (number === 3) break;
  expect(read).toBe(2);
});
