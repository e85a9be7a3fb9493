import { expect, test } from 'vitest';
import { addError, createDriftReader, type DriftBucket, sumBuckets } from '../../../lifecycle/stores/drift.js';
import type { DriftQuestion } from '../../../lifecycle/stores/feedback-meter.js';
import type { Finding } from '../../../lifecycle/stores/findings.js';
import type { RecordIndex } from '../../../lifecycle/stores/record-index.js';
import { timeText } from '../../../lifecycle/stores/record-path.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';

const NOW = Date.parse('2026-02-11T12:00:00.000Z');
const DAY = 86_400_000;
const QUESTION: DriftQuestion = {
  ...{ model: { name: 'wine' }, windowMs: DAY, measure: 'mean-absolute-error' },
  ...{ prediction: '/prediction/0', truth: '/label' },
};
const feedback = (id: unknown, label: unknown, at = NOW) =>
  JSON.stringify({ request_id: id, time: timeText(at), payload: { json: { label } } });
const response = (id: string, prediction: unknown) =>
  JSON.stringify({ request_id: id, response_content: JSON.stringify({ prediction: [prediction] }) });
const finding = (kind: 'call' | 'feedback', key: string, at = NOW - 60_000, model = 'wine') =>
  ({ at, row: { kind, key, model } }) as unknown as Finding;

/** Reads the file `feedback` beside these response files, with what the index finds of each id. */
async function read(lines: string[], found: Record<string, Finding[]>, responses: Record<string, string[]> = {}) {
  const objects = createMemoryObjects();
  await objects.put('feedback', lines.join('\n'));
  for (const [key, each] of Object.entries(responses)) await objects.put(key, each.join('\n'));
  const index = { find: async () => new Map(Object.entries(found)) } as unknown as RecordIndex;
  const outcomes: [number[], boolean][] = [];
  for await (const { errors, orphaned } of createDriftReader({ objects, index })('feedback', QUESTION)) {
    outcomes.push([errors, orphaned]);
  }
  return outcomes;
}
const CALL = [finding('call', 'responses')];

test('a truth is compared with the prediction of its call', async () => {
  const responses = { responses: [response('a', 1), response('other', 9), response('b', 5)] };
  expect(await read([feedback('a', 3), feedback('b', 5)], { a: CALL, b: CALL }, responses)).toEqual([
    [[2], false],
    [[0], false],
  ]);
});

test.each<[string, string, Finding[]]>([
  ['an id that is not known', feedback('a', 3), []],
  ['a call of another model', feedback('a', 3), [finding('call', 'responses', NOW - 60_000, 'beer')]],
  ['a call after its feedback', feedback('a', 3), [finding('call', 'responses', NOW + 5_000)]],
  ['a call that is too old', feedback('a', 3), [finding('call', 'responses', NOW - 8 * DAY)]],
])('feedback on %s is orphaned', async (_, line, findings) => {
  expect(await read([line], { a: findings }, { responses: [response('a', 1)] })).toEqual([[[], true]]);
});

test.each<[string, unknown, string[]]>([
  ['a truth that is no number', 'high', [response('a', 1)]],
  ['a prediction that is no number', 3, [response('a', null)]],
  ['a response that is no JSON', 3, ['{"request_id":"a","response_content":"{broken"}']],
  ['a response without content', 3, ['{"request_id":"a"}']],
  ['a response that is not in its file', 3, [response('b', 1)]],
])('%s is a call without an error value', async (_, label, lines) => {
  expect(await read([feedback('a', label)], { a: CALL }, { responses: lines })).toEqual([[[], false]]);
});

test('a file of responses that is not kept any more is no failure', async () => {
  expect(await read([feedback('a', 3)], { a: CALL })).toEqual([[[], false]]);
});

test('the first feedback on a call counts, in one file and over several', async () => {
  const responses = { responses: [response('a', 1)] };
  expect(await read([feedback('a', 3), feedback('a', 100)], { a: CALL }, responses)).toEqual([[[2], false]]);
  const earlier = [finding('feedback', 'earlier file'), ...CALL];
  expect(await read([feedback('a', 3)], { a: earlier }, responses)).toEqual([]);
  expect(await read([feedback('a', 3)], { a: [...CALL, finding('feedback', 'feedback')] }, responses)).toEqual([
    [[2], false],
  ]);
});

test('lines that are no feedback are left out', async () => {
  const lines = ['no json', '[]', feedback(7, 3), '{"request_id":"a","time":"yesterday"}', ''];
  expect(await read(lines, { a: CALL })).toEqual([]);
});

test('outcomes are summed in buckets of their time', () => {
  const buckets: DriftBucket[] = [];
  const add = (at: number, errors: number[], orphaned = false) =>
    addError(buckets, { at, errors, orphaned }, 60 * 60_000);
  add(NOW, [1, 2]);
  add(NOW + 59_999, [3]);
  add(NOW + 60_000, []);
  add(NOW, [], true);
  expect(buckets).toEqual([
    { at: NOW, samples: 3, sum: 6, orphaned: 1, dropped: 0 },
    { at: NOW + 60_000, samples: 0, sum: 0, orphaned: 0, dropped: 1 },
  ]);
  expect(sumBuckets(buckets)).toEqual({ error: 2, samples: 3, orphaned: 1, dropped: 1 });
});

test.each([
  [1_000, 60_000],
  [DAY, DAY / 60],
])('a window of %i ms has buckets of %i ms', (windowMs, width) => {
  const buckets: DriftBucket[] = [];
  for (const at of [0, width - 1, width]) addError(buckets, { at, errors: [1], orphaned: false }, windowMs);
  expect(buckets.map(({ at, samples }) => [at, samples])).toEqual([
    [0, 2],
    [width, 1],
  ]);
});

test('without a sample there is no error, which is not an error of 0', () => {
  expect(sumBuckets([])).toEqual({ error: undefined, samples: 0, orphaned: 0, dropped: 0 });
});
