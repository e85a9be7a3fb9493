import { expect, test } from 'vitest';
import { type EntityGapEvent, gapId, toWatchEvent, watchEventKey } from '../../../notifications/events/watch-event.js';
import { WATCH_KINDS, type Watch, type WatchSpec } from '../../../notifications/kinds/watch.js';
import { THE_SET } from '../../../notifications/watches/observer.js';
import { dataOf, PRIVATE, problemsOf, read } from './writes.js';

const SINCE = Date.parse('2026-01-28T09:30:12.114Z');
const DAY = 86_400_000;
const DATASET = { dataset: 'positions', filter: 'staffing_status == Open', entity: null };
const STREAM: WatchSpec['scope'] = { stream: 'pipeline', types: ['pipeline.run.succeeded'], filter: null, by: null };

const watch = (scope: WatchSpec['scope'] = DATASET, name = 'gone quiet') =>
  ({
    id: 'wat_1',
    uid: PRIVATE,
    createdBy: PRIVATE,
    spec: { name, scope, period: 'P14D' },
    status: { state: 'active', history: [{ actor: PRIVATE }] },
  }) as unknown as Watch;

const ID = 9_007_199_254_740_993n;
const gap = (more: Partial<EntityGapEvent> = {}): EntityGapEvent => ({
  ...{ kind: 'absent', id: ID, entity: String(ID), generation: 3, version: 9, gap: 7, repeat: 0 },
  ...{ since: SINCE, deadline: SINCE + 14 * DAY, at: SINCE + 15 * DAY, missed: 0, ...more },
});
const eventOf = (more: Partial<EntityGapEvent> = {}, given = watch()) =>
  toWatchEvent(given, gap(more), new Date(SINCE + 15 * DAY + 500));

test('the event of a row says which gap it is, since when, and with which version a read agrees', () => {
  const event = eventOf();
  expect(event).toMatchObject({
    ...{ type: 'watch.absent', source: '/v2/watches/wat_1', subject: `wat_1/${ID}`, version: 7 },
    at: '2026-02-12T09:30:12.114Z',
  });
  expect(dataOf(event)).toEqual({
    ...{ watch: 'wat_1', watch_name: 'gone quiet', dataset: 'positions', filter: 'staffing_status == Open' },
    ...{ entity_id: '9007199254740993', entity_version: 9, etag: '"9.3.0"' },
    ...{ gap_id: `wat_1/${ID}/7`, gap_version: 7, repeat: 0, last_changed_at: '2026-01-28T09:30:12.114Z' },
    ...{ deadline: '2026-02-11T09:30:12.114Z', due_at: '2026-02-12T09:30:12.114Z' },
    detected_at: '2026-02-12T09:30:12.614Z',
  });
});

test.each(WATCH_KINDS)('the event %s is as it is declared, of a row, of a whole set and of a stream', (kind) => {
  for (const event of [
    eventOf({ kind }),
    eventOf({ kind, id: THE_SET, entity: 'set', generation: undefined }),
    eventOf({ kind, id: 1n, entity: 'pipeline/wine', generation: undefined }, watch(STREAM)),
    eventOf({ kind, id: THE_SET, entity: 'set', generation: undefined }, watch({ ...STREAM, filter: 'number > 3' })),
  ]) {
    expect(event.type).toBe(`watch.${kind}`);
    expect(problemsOf(event.type, dataOf(event))).toEqual([]);
    expect(event.data).not.toContain(PRIVATE);
  }
});

test('the event of a whole set names no entity', () => {
  const data = dataOf(eventOf({ id: THE_SET, entity: 'set' }));
  expect(data).toMatchObject({ gap_id: 'wat_1/set/7', gap_version: 7 });
  for (const name of ['entity_id', 'entity_version', 'etag']) expect(data).not.toHaveProperty(name);
});

test('the event of a stream names the stream and the types, and has no etag', () => {
  const data = dataOf(eventOf({ id: 1n, entity: 'pipeline/wine', generation: undefined }, watch(STREAM)));
  expect(data).toMatchObject({
    ...{ stream: 'pipeline', types: ['pipeline.run.succeeded'], filter: null },
    ...{ entity_id: 'pipeline/wine', entity_version: 9 },
  });
  for (const name of ['dataset', 'etag', 'by']) expect(data).not.toHaveProperty(name);
});

test.each([
  [DAY, 86_400],
  [1_499, 1],
  [1_500, 2],
  [0, 0],
])('a change after %i ms of a gap counts %i seconds', (ms, seconds) => {
  const data = dataOf(eventOf({ kind: 'resumed', at: SINCE + ms, missed: 2 }));
  expect(data).toMatchObject({ gap_seconds: seconds, missed_periods: 2 });
});

test.each(['late', 'absent', 'closed'] as const)('the event %s has no length of the gap, which lasts', (kind) => {
  const data = dataOf(eventOf({ kind, missed: 2 }));
  expect([data.gap_seconds, data.missed_periods]).toEqual([undefined, undefined]);
});

test('every evaluator that finds a gap makes the same event, whenever it does', () => {
  const [first, second] = [0, 90_000].map((ms) => toWatchEvent(watch(), gap(), new Date(SINCE + 15 * DAY + ms)));
  expect(second?.key).toBe(first?.key);
  expect(second && read(second, 12).id).toBe(first && read(first, 3).id);
});

test('the kinds, the repeats and the gaps of one entity differ in their ids and keys', () => {
  const events = [
    ...WATCH_KINDS.map((kind) => eventOf({ kind })),
    ...[1, 2, 10].map((repeat) => eventOf({ repeat })),
    eventOf({ gap: 8 }),
    eventOf({ entity: '42' }),
    eventOf({}, { ...watch(), id: 'wat_2' }),
  ];
  expect(new Set(events.map(({ key }) => key)).size).toBe(events.length);
  expect(new Set(events.map((event) => read(event).id)).size).toBe(events.length);
});

test('the first event of a gap has the gap as its version, a repeat also its number', () => {
  expect([0, 1, 12].map((repeat) => eventOf({ repeat }).version)).toEqual([7, '7/1', '7/12']);
  expect([0, 1].map((repeat) => dataOf(eventOf({ repeat })).repeat)).toEqual([0, 1]);
});

test('names of gaps and keys can be written by hand', () => {
  expect(gapId('wat_1', 'pipeline/wine', 7)).toBe('wat_1/pipeline/wine/7');
  expect(watchEventKey('wat_1/42/7', 'absent', 0)).toBe('watch/wat_1/42/7/absent');
  expect(watchEventKey('wat_1/42/7', 'absent', 3)).toBe('watch/wat_1/42/7/absent/3');
});

test('payload ids has the watch, the entity and the gap, whatever the name of the watch looks like', () => {
  const event = eventOf({}, watch(DATASET, 'since:1234567890123456789 🍷'));
  expect(JSON.parse(read(event).data('ids'))).toEqual({
    ...{ watch: 'wat_1', dataset: 'positions', entity_id: '9007199254740993', gap_id: `wat_1/${ID}/7` },
  });
});
