import { expect, test } from 'vitest';
import { feedStalled, gapEvent } from '../../../notifications/events/ops-events.js';
import { PAYLOADS } from '../../../platform/kinds/source-event.js';
import { AT, dataOf, problemsOf, read } from './writes.js';

const stall = { stream: 'positions', position: 902, from: '2026-02-11T09:28:02.114Z', until: AT };

test('a stall says since which entry, from when and until when', () => {
  const event = feedStalled(stall);
  expect(event).toMatchObject({ type: 'ops.feed_stalled', source: '/v2/health', subject: 'stream/positions', at: AT });
  expect(dataOf(event)).toEqual({
    ...{ stream: 'positions', position: 902, stalled_from: stall.from, moved_at: AT, seconds: 130 },
  });
  expect(problemsOf(event.type, dataOf(event))).toEqual([]);
});

test.each([
  ['2026-02-11T09:30:12.114Z', 0],
  ['2026-02-11T09:30:11.615Z', 0],
  ['2026-02-11T09:30:11.614Z', 1],
  ['2026-02-10T09:30:12.114Z', 86_400],
])('a stall from %s lasted %i seconds', (from, seconds) => {
  expect(dataOf(feedStalled({ ...stall, from })).seconds).toBe(seconds);
});

test('processes that met a stall at other times make the same event; the next stall is another', () => {
  const ids = [stall, { ...stall, from: AT, until: '2026-02-11T09:31:00.000Z' }, { ...stall, position: 903 }].map(
    (each) => [feedStalled(each).key, read(feedStalled(each)).id],
  );
  expect(ids[1]).toEqual(ids[0]);
  expect(ids[2]?.[0]).not.toBe(ids[0]?.[0]);
  expect(ids[2]?.[1]).not.toBe(ids[0]?.[1]);
});

test('stalls of two streams at the same position are two events', () => {
  const [one, two] = ['positions', 'skills'].map((stream) => feedStalled({ ...stall, stream }));
  expect(one?.key).not.toBe(two?.key);
  expect(one && read(one).id).not.toBe(two && read(two).id);
});

test('a gap counts the entries that were purged, and is placed at the last of them', () => {
  const event = gapEvent({ stream: 'positions', after: 840, through: 902, at: AT });
  expect(event).toMatchObject({
    ...{ type: 'ops.gap', stream: 'positions', position: 902, index: 0, subject: 'stream/positions', at: AT },
    ...{ source: '/v2/health', ref: '/v2/health', schemaVersion: 1 },
  });
  for (const payload of PAYLOADS) {
    expect(JSON.parse(event.data(payload))).toEqual({ stream: 'positions', position: 902, after: 840, entries: 62 });
  }
});

test('a gap has no fields for filters: it is for every subscription that lost entries', () => {
  expect(gapEvent({ stream: 'positions', after: 0, through: 1, at: AT }).row).toBeUndefined();
});

test.each([
  [{ after: 840, through: 902 }, true],
  [{ after: 841, through: 902 }, false],
  [{ after: 840, through: 903 }, false],
])('the gap %j is the same event as 840 to 902: %s', (bounds, expected) => {
  const known = gapEvent({ stream: 'positions', after: 840, through: 902, at: AT });
  const event = gapEvent({ stream: 'positions', ...bounds, at: '2026-03-01T00:00:00.000Z' });
  expect(event.id === known.id).toBe(expected);
});
