import { expect, test } from 'vitest';
import { createEventBatch, MOST_EVENTS } from '../../../activities/notifications/event-batch.js';
import type { EventMatcher } from '../../../notifications/events/event-matcher.js';
import type { SourceEvent } from '../../../platform/kinds/source-event.js';

const matcher = {
  payload: 'full',
  matches: ({ type }: SourceEvent) => type === 'wanted',
  specOf: () => ({ fields: {} }),
} as unknown as EventMatcher;
const event = (type: string, bytes = 1) =>
  ({ type, stream: 's', data: () => 'x'.repeat(bytes) }) as unknown as SourceEvent;
const many = (count: number, type = 'wanted') => Array.from({ length: count }, () => event(type));

test('only matching events are added, from the index on', () => {
  const batch = createEventBatch(matcher);
  expect(batch.addEntry([event('wanted'), event('other'), event('wanted')], { index: 1 })).toBe(3);
  expect(batch.events).toHaveLength(1);
});

test('a batch is full at its limit of events, and returns the index to continue from', () => {
  const batch = createEventBatch(matcher);
  expect(batch.addEntry(many(MOST_EVENTS + 5), { index: 0 })).toBe(MOST_EVENTS);
  expect(batch.isFull()).toBe(true);
});

test('a batch is full at its limits of bytes and of entries without a match', () => {
  const large = createEventBatch(matcher);
  large.add(event('wanted', 2 ** 20));
  expect(large.isFull()).toBe(true);
  const empty = createEventBatch(matcher);
  for (let entry = 0; entry < 500; entry += 1) empty.addEntry(many(1, 'other'), { index: 0 });
  expect(empty.isFull()).toBe(true);
  expect(empty.events).toEqual([]);
});
