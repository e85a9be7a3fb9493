import { expect, test } from 'vitest';
import { encodeFrame } from '../../gateway/frame.js';
import { createChunkFiles, keyOf, planUpload } from '../../gateway/upload-plan.js';
import { SPOOL_PART } from '../../lifecycle/stores/record-path.js';
import { feedback } from './recording.js';

const START = Date.UTC(2026, 10, 20, 8, 59, 58);
const FRAMES = [
  encodeFrame(feedback({ at: START, requestId: 'a', json: '{}' })),
  encodeFrame(feedback({ at: START + 3_000, requestId: 'b', json: '{}' })),
];
const BYTES = FRAMES.reduce((sum, { length }) => sum + length, 0);
const chunk = {
  frames: FRAMES,
  offset: 100,
  chunkBytes: BYTES + 1,
  chunkMs: 60_000,
  now: START + 59_999,
  force: false,
};

test('a chunk is due by its size, by the age of its first record, or by force', () => {
  expect(planUpload(chunk)).toBeUndefined();
  expect(planUpload({ ...chunk, now: START + 60_000 })).toBeDefined();
  expect(planUpload({ ...chunk, chunkBytes: BYTES })).toBeDefined();
  expect(planUpload({ ...chunk, force: true })).toBeDefined();
  expect(planUpload({ ...chunk, frames: [], force: true })).toBeUndefined();
});

test('a plan has one object for each hour and the index last', () => {
  const { offset, plan } = planUpload({ ...chunk, force: true }) ?? {};
  expect([offset, plan?.to]).toEqual([100, 100 + BYTES]);
  const keys = plan?.objects.map((object) => keyOf('records/', object)) ?? [];
  expect(keys).toEqual([
    'records/feedback/wine/1/year=2026/month=11/day=20/2026112008_0.json',
    'records/feedback/wine/1/year=2026/month=11/day=20/2026112009_0.json',
    expect.stringMatching(/^records\/.*_0\.idx$/),
  ]);
});

test('every file of a chunk carries its range, and the index names the final keys of the records', () => {
  const objects = planUpload({ ...chunk, force: true })?.plan?.objects ?? [];
  const fileOf = createChunkFiles({ frames: FRAMES, objects, range: 'segment:100-200', root: '' });
  const [first, , index] = objects;
  if (first === undefined || index === undefined) throw new Error('the plan lacks objects');
  expect(fileOf(first)?.body.toString().trim().split('\n')).toHaveLength(1);
  first.n = 7; // the counters below were in use
  expect(fileOf(index)?.body.toString()).toContain('2026112008_7.json');
  for (const object of objects) expect(fileOf(object)?.metadata[SPOOL_PART]).toBe('segment:100-200');
  expect(fileOf({ path: 'feedback/other', n: 0 })).toBeUndefined();
});
