import { expect, test } from 'vitest';
import { AT, dataOf, emitted, PRIVATE, problemsOf, resource } from './writes.js';

const SPEC = {
  artifactName: 'wine-3.zip',
  arguments: { dockerfile: PRIVATE },
  targets: [{ name: 'docker', connectionName: PRIVATE }],
};
const packaging = (status: object) =>
  resource('ModelPackaging', { state: 'running', results: [], transitions: [], ...status }, SPEC);
const eventOf = (status: object) => emitted([packaging({}), packaging(status)]);

test.each([
  [
    'the image is named by its result',
    [{ name: 'image', value: 'registry.example/wine:3' }],
    'registry.example/wine:3',
  ],
  [
    'the image is found wherever it is in the results',
    [
      { name: 'log', value: PRIVATE },
      { name: 'image', value: 'i:1' },
      { name: 'image', value: 'i:2' },
    ],
    'i:1',
  ],
  ['another result is no image', [{ name: 'Image', value: PRIVATE }], undefined],
  ['no result, no image', [], undefined],
])('%s', (_, results, image) => {
  const data = dataOf(eventOf({ state: 'succeeded', results, finishedAt: AT }));
  expect(data).toEqual({
    ...{ kind: 'ModelPackaging', id: 'wine-3', version: 5, generation: 2, state: 'succeeded', created_by: 'ana' },
    ...{ finished_at: AT, artifact_name: 'wine-3.zip', ...(image !== undefined && { image }) },
  });
});

test('a packaging that failed says why, without its log', () => {
  const failure = { reason: 'PushFailed', message: 'denied', logTail: PRIVATE, step: PRIVATE, exitCode: 1 };
  const event = eventOf({ state: 'failed', ...failure });
  expect(event).toMatchObject({
    type: 'pipeline.packaging.failed',
    source: '/api/v1/model/packaging',
    subject: 'packaging/wine-3',
  });
  expect(dataOf(event)).toMatchObject({ reason: 'PushFailed', message: 'denied' });
  expect(event?.data).not.toContain(PRIVATE);
  expect(problemsOf('pipeline.packaging.failed', dataOf(event))).toEqual([]);
});

test.each([
  ['running', 'running', undefined],
  ['scheduling', 'running', 'started'],
  ['unknown', 'failed', 'failed'],
  ['running', 'succeeded', 'succeeded'],
  ['succeeded', 'unknown', undefined],
])('from %s to %s: %s', (from, to, word) => {
  expect(emitted([packaging({ state: from }), packaging({ state: to })])?.type).toBe(
    word && `pipeline.packaging.${word}`,
  );
});

test('the removal of a packaging has no event', () => {
  expect(emitted([packaging({ state: 'succeeded' }), undefined])).toBeUndefined();
});
