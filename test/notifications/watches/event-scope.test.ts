import { expect, test } from 'vitest';
import type { EventWatchSpec } from '../../../notifications/kinds/watch.js';
import { WatchSpec } from '../../../notifications/kinds/watch.js';
import { findPasts, gapStartOfEvents, isPresent } from '../../../notifications/watches/event-past.js';
import { createScopeObserver } from '../../../notifications/watches/event-scope.js';
import { observesEvents, THE_SET } from '../../../notifications/watches/observer.js';
import type { StreamEntry } from '../../../notifications/kinds/stream-entry.js';
import type { EventEntry } from '../../../platform/kinds/platform-event.js';

const START = Date.parse('2026-01-02T00:00:00.000Z');
const timeOf = (minute: number): string => new Date(START + minute * 60_000).toISOString();
function event(position: number, type: string, id: string, data: object = {}): EventEntry {
  const subject = `${type.split('.')[1]}/${id}`;
  return {
    ...{ kind: 'event', position, at: timeOf(position), token: `t${position}` },
    event: {
      ...{ key: `k${position}`, type, source: '/s', subject, version: position, at: timeOf(position) },
      data: JSON.stringify({ id, ...data }),
    },
  };
}
const ended = (position: number, pipeline: string, more: object = {}) =>
  event(position, 'pipeline.run.succeeded', `${pipeline}-${position}`, { pipeline, ...more });

function specOf(scope: object, more: object = {}): EventWatchSpec {
  const spec = WatchSpec.parse({ name: 'w', period: 'PT10M', scope: { stream: 'pipeline', ...scope }, ...more });
  if (!observesEvents(spec)) throw new Error('no watch of events');
  return spec;
}
const RUNS = { types: ['pipeline.run.succeeded'] };
/** Reads an entry with the observer of a scope: name, whether it counts, whether it is an end. */
const seen = (scope: object, entry: EventEntry, more: object = {}) => {
  const found = createScopeObserver(specOf(scope, more)).read(entry);
  return found && [found.name, found.counts, found.isEnd];
};

test.each([
  ['a run counts for its pipeline', RUNS, ended(1, 'wine'), ['pipeline/wine', true, false]],
  ['another end of a run', RUNS, event(1, 'pipeline.run.failed', 'r', { pipeline: 'wine' }), undefined],
  ['the pipeline is gone', RUNS, event(1, 'pipeline.definition.deleted', 'wine'), ['pipeline/wine', false, true]],
  ['another resource is gone', RUNS, event(1, 'pipeline.deployment.deleted', 'wine'), undefined],
  [
    'a run without a pipeline has its own name',
    RUNS,
    event(1, 'pipeline.run.succeeded', 'r'),
    ['pipeline/r', true, false],
  ],
  ['a type of another stream', { types: ['pipeline.*'] }, event(1, 'watch.absent', 'x'), undefined],
  [
    'a deployment is its own subject',
    { types: ['pipeline.deployment.*'] },
    event(1, 'pipeline.deployment.ready', 'wine'),
    ['deployment/wine', true, false],
  ],
  [
    'the end of what counts is an end too',
    { types: ['pipeline.deployment.*'] },
    event(1, 'pipeline.deployment.deleted', 'wine'),
    ['deployment/wine', true, true],
  ],
  ['a filter that fits', { ...RUNS, filter: 'pipeline == wine' }, ended(1, 'wine'), ['pipeline/wine', true, false]],
  ['a filter that does not fit', { ...RUNS, filter: 'pipeline == wine' }, ended(1, 'beer'), undefined],
  [
    'a value of a field',
    { ...RUNS, by: 'model_name' },
    ended(1, 'a', { model_name: 'm' }),
    ['model_name/m', true, false],
  ],
  ['a field that is absent', { ...RUNS, by: 'model_name' }, ended(1, 'a'), undefined],
  ['an empty value', { ...RUNS, by: 'model_name' }, ended(1, 'a', { model_name: '' }), undefined],
  ['a value that is no text', { ...RUNS, by: 'number' }, ended(1, 'a', { number: 3 }), undefined],
  [
    'values of a field have no end',
    { ...RUNS, by: 'pipeline' },
    event(1, 'pipeline.definition.deleted', 'wine', { pipeline: 'wine' }),
    undefined,
  ],
  ['a copy', RUNS, { ...ended(1, 'wine'), repeated: true as const }, undefined],
])('%s', (_, scope, entry, expected) => {
  expect(seen(scope, entry)).toEqual(expected);
});

test('a whole set sees only what counts', () => {
  const set = { each: 'set' };
  expect(seen(RUNS, ended(1, 'wine'), set)).toEqual(['set', true, false]);
  expect(seen(RUNS, event(1, 'pipeline.definition.deleted', 'wine'), set)).toBeUndefined();
  expect(createScopeObserver(specOf(RUNS, set)).observeEvent(ended(4, 'wine'))).toEqual({
    ...{ id: THE_SET, version: 4, member: true, counts: true, dwells: true },
  });
});

test('with arm_at "creation" the first event of a subject is seen, also one that does not count', () => {
  const creation = { arm_at: 'creation' };
  const failed = event(1, 'pipeline.run.failed', 'r', { pipeline: 'wine' });
  expect(seen(RUNS, failed, creation)).toEqual(['pipeline/wine', false, false]);
  const filtered = { ...RUNS, filter: 'pipeline == wine' };
  expect(seen(filtered, failed, creation)).toEqual(['pipeline/wine', false, false]);
  expect(seen(filtered, event(1, 'pipeline.run.failed', 'r', { pipeline: 'beer' }), creation)).toBeUndefined();
});

test('subjects are numbered in the order of their first event, after those that are known', () => {
  const observer = createScopeObserver(specOf(RUNS), ['pipeline/old']);
  const ids = ['wine', 'beer', 'wine', 'old'].map((name, index) => observer.observeEvent(ended(index + 1, name))?.id);
  expect(ids).toEqual([2n, 3n, 2n, 1n]);
  expect(observer.names()).toEqual(['pipeline/old', 'pipeline/wine', 'pipeline/beer']);
  expect([observer.nameOf(3n), observer.nameOf(9n), observer.nameOf(THE_SET)]).toEqual(['pipeline/beer', '9', 'set']);
});

test('the end of a subject that was never seen is not observed', () => {
  const observer = createScopeObserver(specOf(RUNS));
  const end = event(2, 'pipeline.definition.deleted', 'wine');
  expect(observer.observeEvent(end)).toBeUndefined();
  observer.observeEvent(ended(1, 'wine'));
  expect(observer.observeEvent(end)).toMatchObject({ id: 1n, member: false, version: 2 });
});

async function pasts(entries: StreamEntry[], { from = 1, isEnough = (): boolean => false } = {}) {
  const observer = createScopeObserver(specOf(RUNS));
  const found = await findPasts({
    ...{ observer, from, isEnough, position: entries.length },
    read: async (position) => entries[position - 1],
  });
  return Object.fromEntries(
    [...found].map(([name, past]) => [
      name,
      { newest: past.newest?.position, first: past.first?.position, counted: past.counted, isOver: past.isOver },
    ]),
  );
}
const heartbeat = (position: number): StreamEntry => ({
  ...{ kind: 'heartbeat', position, at: timeOf(position), token: `h${position}` },
});

test('the past of each subject goes back to its removal', async () => {
  const entries = [
    ended(1, 'wine'),
    event(2, 'pipeline.definition.deleted', 'wine'),
    ended(3, 'wine'),
    heartbeat(4),
    ended(5, 'beer'),
    ended(6, 'wine'),
    event(7, 'pipeline.definition.deleted', 'beer'),
  ];
  expect(await pasts(entries)).toEqual({
    'pipeline/wine': { newest: 6, first: 3, counted: [6, 3], isOver: true },
    'pipeline/beer': { newest: undefined, first: undefined, counted: [], isOver: true },
  });
});

test('entries before the first that is kept, and those that do not matter, are not read', async () => {
  const entries = Array.from({ length: 70 }, (_, index) => ended(index + 1, 'wine'));
  expect((await pasts(entries, { from: 40 }))['pipeline/wine']?.first).toBe(40);
  expect((await pasts(entries, { isEnough: () => true }))['pipeline/wine']?.counted).toEqual([70]);
  const purged = entries.map((entry, index) => (index < 50 ? undefined : entry)) as StreamEntry[];
  expect((await pasts(purged))['pipeline/wine']?.first).toBe(51);
});

test('a subject is there if more than its end is known', () => {
  const past = { counted: [], isOver: true };
  expect([isPresent(past), isPresent({ ...past, first: ended(1, 'wine') })]).toEqual([false, true]);
});

test.each([
  // Minutes of the newest event that counts and of the first one of all; the watch was created at minute 10.
  ['last_change', 5, 5, { gap: 5, since: 5 }],
  ['last_change', 15, 5, { gap: 15, since: 15 }],
  ['last_change', undefined, 5, undefined],
  ['first_change', 5, 5, undefined],
  ['first_change', 10, 5, undefined],
  ['first_change', 15, 5, { gap: 15, since: 15 }],
  ['creation', undefined, undefined, { gap: 0, since: 10 }],
  ['creation', undefined, 5, { gap: 0, since: 10 }],
  ['creation', undefined, 12, { gap: 12, since: 12 }],
  ['creation', 5, 5, { gap: 0, since: 10 }],
  ['creation', 15, 12, { gap: 15, since: 15 }],
] as const)('with arm_at "%s", newest %s and first %s the gap starts at %j', (arm_at, newest, first, expected) => {
  const entry = (minute: number | undefined) => (minute === undefined ? undefined : ended(minute, 'wine'));
  const watch = { spec: specOf(RUNS, { arm_at }), createdAt: timeOf(10) };
  const [last, begun] = [entry(newest), entry(first)];
  expect(gapStartOfEvents(watch, { ...(last && { newest: last }), ...(begun && { first: begun }) })).toEqual(
    expected && { gap: expected.gap, since: START + expected.since * 60_000 },
  );
});
