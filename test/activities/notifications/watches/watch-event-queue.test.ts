import { expect, test } from 'vitest';
import { createWatchEventQueue } from '../../../../activities/notifications/watches/watch-event-queue.js';
import type { EntityGapEvent } from '../../../../notifications/events/watch-event.js';
import type { Watch } from '../../../../notifications/kinds/watch.js';

const watch = (id: string) =>
  ({ id, spec: { name: id, scope: { dataset: 'positions', filter: null, entity: null } } }) as unknown as Watch;
const gap = (entity: string, repeat = 0): EntityGapEvent => ({
  ...{
    kind: 'absent',
    id: BigInt(entity),
    entity,
    version: 1,
    gap: 1,
    repeat,
    since: 0,
    deadline: 1,
    at: 2,
    missed: 0,
  },
});
const now = () => new Date(5_000);

function filled(...given: [string, string, number?][]) {
  const queue = createWatchEventQueue();
  for (const [id, entity, repeat] of given) queue.push(watch(id), gap(entity, repeat));
  const subjects = (most = 10) => queue.nextBatch(most, now).map(({ subject }) => subject);
  return { queue, subjects };
}

test('a batch ends before the second event of one entity, so that their order is kept', () => {
  const { queue, subjects } = filled(['w', '1'], ['w', '2'], ['w', '1', 1], ['w', '3']);
  expect(subjects()).toEqual(['w/1', 'w/2']);
  queue.remove(2);
  expect([subjects(), queue.size]).toEqual([['w/1', 'w/3'], 2]);
});

test('the same entity of two watches is two subjects', () => {
  expect(filled(['v', '1'], ['w', '1']).subjects()).toEqual(['v/1', 'w/1']);
});

test.each([
  [0, []],
  [1, ['w/1']],
  [2, ['w/1', 'w/2']],
  [9, ['w/1', 'w/2', 'w/3']],
])('a batch of at most %i', (most, expected) => {
  expect(filled(['w', '1'], ['w', '2'], ['w', '3']).subjects(most)).toEqual(expected);
});

test('a batch that was not published is read again, with the time of the second reading', () => {
  const { queue, subjects } = filled(['w', '1']);
  expect([subjects(), subjects(), queue.size]).toEqual([['w/1'], ['w/1'], 1]);
  const [event] = queue.nextBatch(1, () => new Date(9_000));
  expect(JSON.parse(event?.data ?? '').detected_at).toBe('1970-01-01T00:00:09.000Z');
  expect(event?.key).toBe(queue.nextBatch(1, now)[0]?.key);
});

test('an empty queue has no batch', () => {
  const { queue, subjects } = filled();
  queue.remove(3);
  expect([subjects(), queue.size]).toEqual([[], 0]);
});
