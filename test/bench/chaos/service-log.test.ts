import { expect, test } from 'vitest';
import type { ContainerStart } from '../../../bench/chaos/cluster/container-log.js';
import { compareService, type ServiceRecords } from '../../../bench/chaos/cluster/service-log.js';

const start = (id: string, generation: number): ContainerStart => ({
  ...{ container: `slipway-deployment-${id}-${generation}`, kind: 'deployment', id, generation, at: 0 },
});
const answer = (id: string, generation: number, at: number, asked = id) => ({
  ...{ id: asked, gateway: 'one', container: start(id, generation).container, at },
});
const STARTS = [start('a', 1), start('a', 2), start('b', 1)];
const compare = (records: Partial<ServiceRecords>, report: (line: string) => void = () => {}) =>
  compareService({ ready: [], gone: new Map(), answers: [], failed: 0, refused: 0, ...records }, STARTS, report);
/** The second generation is ready after 100 s. */
const READY = [
  { id: 'a', generation: 1, at: 1_000 },
  { id: 'a', generation: 2, at: 100_000 },
];

test.each([
  ['an old generation before the new one is ready', answer('a', 1, 99_000), 0, 0],
  ['an old generation within the limit', answer('a', 1, 109_000), 9_000, 0],
  ['an old generation past the limit', answer('a', 1, 110_001), 10_001, 1],
  ['the new generation at any time', answer('a', 2, 900_000), 0, 0],
])('%s', (_, each, longestStaleMs, stale) => {
  expect(compare({ ready: READY, answers: [each] })).toMatchObject({ longestStaleMs, stale, misrouted: 0 });
});

test('an answer of another deployment, or of a container that was never started, is misrouted', () => {
  const answers = [answer('b', 1, 1_000, 'a'), answer('a', 3, 1_000), answer('a', 1, 1_000)];
  expect(compare({ ready: READY, answers }).misrouted).toBe(2);
});

test('a deployment that answers after it was removed is a ghost past the limit', () => {
  const answers = [answer('b', 1, 10_000), answer('b', 1, 20_001)];
  expect(compare({ gone: new Map([['b', 10_000]]), answers }).ghostAnswers).toBe(1);
});

test('reports each answer that breaks a bar', () => {
  const lines: string[] = [];
  const answers = [answer('a', 1, 110_001), answer('b', 1, 1_000, 'a'), answer('b', 1, 20_001)];
  compare({ ready: READY, gone: new Map([['b', 10_000]]), answers }, (line) => void lines.push(line));
  expect(lines).toEqual([
    '1970-01-01T00:01:50.001Z: slipway-deployment-a-1 answered for a at one, 10001 ms after a newer generation was ready',
    '1970-01-01T00:00:01.000Z: slipway-deployment-b-1 answered for a at one, and is of deployment b',
    '1970-01-01T00:00:20.001Z: slipway-deployment-b-1 answered for b at one, 10001 ms after it was deleted',
  ]);
});
