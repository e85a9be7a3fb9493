import { expect, test } from 'vitest';
import { eventId } from '../../../notifications/events/event-id.js';

test.each([
  ['positions', '42', 7, 'dataset.positions.updated'],
  ['', '', 0, ''],
  ['größe', '葡萄酒🍷', 'a/b', 'x'],
] as const)(
  'the id of %s %s %s %s is short, without dots and signs, and the same each time',
  (stream, subject, version, type) => {
    const id = eventId(stream, subject, version, type);
    expect(id).toMatch(/^evt_[A-Za-z0-9]{20,24}$/);
    expect(eventId(stream, subject, version, type)).toBe(id);
  },
);

test('receivers drop repeats by this id, so it does not change between releases', () => {
  expect(eventId('positions', '9007199254740993', 7, 'dataset.positions.updated')).toBe('evt_MVmqk9RKbCvd0XxR8R01xk5q');
  expect(eventId('watch', 'wat_1/42', '7/2', 'watch.absent')).toBe('evt_uxXQKYwjprVSbDWhYeikVlmx');
});

test('each part of the identity makes another id', () => {
  const ids = [
    eventId('a', 'b', 1, 'c'),
    eventId('x', 'b', 1, 'c'),
    eventId('a', 'x', 1, 'c'),
    eventId('a', 'b', 2, 'c'),
    eventId('a', 'b', 1, 'x'),
    // The parts are separated: a character that moves from one to the next is another identity.
    eventId('ab', '', 1, 'c'),
    eventId('a', 'b1', '', 'c'),
    eventId('a', 'b', '1c', ''),
  ];
  expect(new Set(ids).size).toBe(ids.length);
});

test('a number and its digits are the same version', () => {
  expect(eventId('a', 'b', 7, 'c')).toBe(eventId('a', 'b', '7', 'c'));
});

test('each of many versions of one subject has its own id', () => {
  const ids = new Set(Array.from({ length: 2_000 }, (_, version) => eventId('a', 'b', version, 'c')));
  expect(ids.size).toBe(2_000);
});
