import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { readAtMost } from '../../../activities/shared/read-at-most.js';

test('a text up to the limit is read whole, also when a character is cut by the chunks', async () => {
  const bytes = Buffer.from('größe');
  const chunks = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
  expect(await readAtMost(Readable.from(chunks), 7)).toBe('größe');
  expect(await readAtMost(Readable.from(chunks), 6)).toBeUndefined();
});

test('a stream without end is left once the limit is passed', async () => {
  let chunks = 0;
  function* endless() {
    for (;;) {
      chunks += 1;
      yield Buffer.alloc(1_000);
    }
  }
  const stream = Readable.from(endless(), { highWaterMark: 1 });
  expect(await readAtMost(stream, 10_000)).toBeUndefined();
  expect(stream.destroyed).toBe(true);
  expect(chunks).toBeLessThan(20);
});
