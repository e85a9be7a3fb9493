import { expect, test } from 'vitest';
import { createSpoolBatches } from '../../gateway/spool-batches.js';

/** Batches that are written one by one, when the test says so. */
function scene() {
  const writes: { text: string; finish: (written: boolean) => void }[] = [];
  let wake = (): void => undefined;
  const batches = createSpoolBatches(
    (batch) =>
      new Promise((finish) => {
        writes.push({ text: batch.toString(), finish });
        wake();
      }),
  );
  return {
    batches,
    add: (text: string) => batches.add(Buffer.from(text)),
    written: async (number: number): Promise<(typeof writes)[number]> => {
      while (writes.length < number) await new Promise<void>((resolve) => (wake = resolve));
      const write = writes[number - 1];
      if (write === undefined) throw new Error('not written');
      return write;
    },
  };
}

test('frames of one turn are one write, and frames that come meanwhile the next', async () => {
  const { batches, add, written } = scene();
  const first = [add('a'), add('b')];
  expect(batches.pendingBytes()).toBe(2);
  const one = await written(1);
  expect(one.text).toBe('ab');
  expect(batches.pendingBytes()).toBe(0);
  const second = [add('c'), add('dd')];
  expect(batches.pendingBytes()).toBe(3);
  one.finish(true);
  const two = await written(2);
  expect(two.text).toBe('cdd');
  two.finish(true);
  expect(await Promise.all([...first, ...second])).toEqual([true, true, true, true]);
});

test('every frame of a batch that was not written hears of it and is counted', async () => {
  const { batches, add, written } = scene();
  const frames = [add('a'), add('b')];
  (await written(1)).finish(false);
  expect(await Promise.all(frames)).toEqual([false, false]);
  expect(batches.dropped()).toBe(2);
});

test('it drains until nothing waits, and starts again with the next frame', async () => {
  const { batches, add, written } = scene();
  await batches.drained();
  const frame = add('a');
  expect(batches.isDraining()).toBe(true);
  const drained = batches.drained();
  (await written(1)).finish(true);
  await Promise.all([frame, drained]);
  expect(batches.isDraining()).toBe(false);
  const next = add('b');
  (await written(2)).finish(true);
  expect(await next).toBe(true);
});
