import { expect, test } from 'vitest';
import type { RecordIndex, UploadedPart } from '../../../lifecycle/stores/record-index.js';
import { newUploads, pass, type UploadProgress } from '../../../lifecycle/stores/upload-progress.js';

const NOW = Date.parse('2026-02-11T12:30:00.000Z');
const SINCE = Date.parse('2026-02-11T06:00:00.000Z');
const part = (hour: string, n: number, uploadedAt = '2026-02-11T12:00:00.000Z') =>
  ({ hour, n, uploadedAt }) as unknown as UploadedPart;

async function read(parts: UploadedPart[], progress: UploadProgress, settledBefore?: number) {
  const asked: (number | undefined)[] = [];
  const index: Pick<RecordIndex, 'parts'> = {
    async *parts(since) {
      asked.push(since);
      yield* parts;
    },
  };
  const found = await newUploads(index, progress, settledBefore);
  return { names: found.map(({ hour, n }) => `${hour}_${n}`), asked };
}

test('uploads that were not seen come in the order of their hours and counters', async () => {
  const parts = [part('2026021111', 10), part('2026021111', 9), part('2026021110', 2), part('2026021109', 5)];
  const { names, asked } = await read(parts, { since: SINCE, seen: { '2026021110': 2, '2026021109': 6 } });
  expect(names).toEqual(['2026021110_2', '2026021111_9', '2026021111_10']);
  expect(asked).toEqual([SINCE]);
});

test('uploads after a young one wait with it: one before it may still come', async () => {
  const young = '2026-02-11T12:29:59.000Z';
  const parts = [part('2026021110', 0), part('2026021110', 1, young), part('2026021111', 0)];
  const settled = Date.parse('2026-02-11T12:29:00.000Z');
  expect((await read(parts, { since: SINCE, seen: {} }, settled)).names).toEqual(['2026021110_0']);
  expect((await read(parts, { since: SINCE, seen: {} }, NOW)).names).toHaveLength(3);
});

test('no upload is new after all of them were read', async () => {
  const parts = [part('2026021111', 0), part('2026021111', 1), part('2026021112', 0)];
  const progress = parts.reduce((at, each) => pass(at, each, NOW), { since: SINCE, seen: {} });
  expect(progress.seen).toEqual({ '2026021111': 2, '2026021112': 1 });
  expect((await read(parts, progress)).names).toEqual([]);
});

test('hours beyond the horizon are closed, and the horizon never goes back', () => {
  const at = { since: SINCE, seen: { '2026021105': 3, '2026021106': 4 } };
  const next = pass(at, part('2026021112', 0), NOW);
  expect(next).toEqual({ since: SINCE, seen: { '2026021106': 4, '2026021112': 1 } });
  const later = pass(next, part('2026021112', 1), NOW + 2 * 3_600_000);
  expect(later).toEqual({ since: SINCE + 2 * 3_600_000, seen: { '2026021112': 2 } });
  expect(pass(later, part('2026021112', 2), NOW).since).toBe(later.since);
});
