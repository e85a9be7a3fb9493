import { expect, test } from 'vitest';
import { MOST_EVENTS } from '../../../activities/notifications/event-batch.js';
import { createEventCollector } from '../../../activities/notifications/event-collector.js';
import { createEventMatcher } from '../../../notifications/events/event-matcher.js';
import type { SourcePositions } from '../../../notifications/kinds/outbox-event.js';
import type { StreamEntry } from '../../../notifications/kinds/stream-entry.js';
import type { Change, LogContent } from '../../../reference/dataset/change.js';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';

const AT = '2026-01-02T00:00:00.000Z';
const spec = DatasetSpec.parse({ fields: { status: { type: 'text' } } });
const change = (id: string, status = 'Open'): Change => ({
  ...{ id, version: 1, at: AT, actor: 'ana', schema: 1, commit: 'c' },
  body: `{"id":"${id}","status":"${status}","version":1,"created_at":"${AT}","updated_at":"${AT}"}`,
});
const changes = (...all: Change[]): LogContent => ({ kind: 'changes', changes: all });

/** Streams of entries in memory; `purgedTo`: the number of the first ones that are gone. */
function open(streams: Record<string, LogContent[]>, { filter = null as string | null, purgedTo = 0 } = {}) {
  let reads = 0;
  const checked: string[] = [];
  const matcher = createEventMatcher({
    id: 'sub_1',
    spec: { types: ['dataset.*', 'ops.*'], filter, payload: 'full' },
    status: { declarations: {} },
  });
  const collect = createEventCollector({
    matcher,
    now: () => new Date(AT),
    check: ({ type }) => void checked.push(type),
    streamOf: (name) => ({
      read: async (position): Promise<StreamEntry | undefined> => {
        reads += 1;
        const content = position > purgedTo ? streams[name]?.[position - 1] : undefined;
        return content && { ...content, position, at: AT, token: `${name}#${position}` };
      },
      beginning: async () => ({ purgedTo }),
    }),
  });
  return { collect, checked, reads: () => reads };
}
const start = (...names: string[]): SourcePositions =>
  Object.fromEntries(names.map((name) => [name, { position: 0, index: 0 }]));
const subjects = (events: readonly { subject: string }[]) => events.map(({ subject }) => subject);

test('the events of several streams are collected to their ends, stream by stream', async () => {
  const { collect, checked } = open({
    positions: [changes(change('1'), change('2')), { kind: 'heartbeat' }, changes(change('3'))],
    skills: [changes(change('9'))],
  });
  const { events, sources, more } = await collect(start('positions', 'skills'));
  expect(subjects(events)).toEqual(['1', '2', '3', '9']);
  expect(sources).toEqual({ positions: { position: 3, index: 0 }, skills: { position: 1, index: 0 } });
  expect([more, checked.length]).toEqual([false, 4]);
});

test('a second collection from the positions after the first finds nothing again', async () => {
  const { collect } = open({ positions: [changes(change('1'))] });
  const { sources } = await collect(start('positions'));
  expect(await collect(sources)).toEqual({ events: [], sources, more: false });
});

test('the same positions give the same events, so that two writers make the same block', async () => {
  const streams = { positions: [changes(change('1'), change('2'))] };
  const ids = async () => (await open(streams).collect(start('positions'))).events.map(({ id }) => id);
  expect(await ids()).toEqual(await ids());
});

test('a declaration types the filter of the entries after it', async () => {
  const { collect } = open(
    {
      positions: [{ kind: 'schema', spec, schema: 1, actor: 'ana' }, changes(change('1'), change('2', 'Filled'))],
    },
    { filter: 'status == Open' },
  );
  const { events, sources } = await collect(start('positions'));
  expect(subjects(events)).toEqual(['positions', '1']);
  expect(sources.positions).toEqual({ position: 2, index: 0, declaredAt: 1 });
});

test('another collector recalls the declaration that a position names', async () => {
  const streams: Record<string, LogContent[]> = {
    positions: [{ kind: 'schema', spec, schema: 1, actor: 'ana' }, changes(change('1', 'Filled'), change('2'))],
  };
  const at = { positions: { position: 1, index: 0, declaredAt: 1 } };
  const { events } = await open(streams, { filter: 'status == Open' }).collect(at);
  expect(subjects(events)).toEqual(['2']);
});

test('without the declaration that a position names nothing is collected', async () => {
  const { collect } = open({ positions: [{ kind: 'heartbeat' }, changes(change('1'))] });
  const at = { positions: { position: 1, index: 0, declaredAt: 9 } };
  expect(await collect(at)).toEqual({ events: [], sources: at, more: false });
});

test('held changes are emitted by their release', async () => {
  const held: LogContent[] = [{ kind: 'hold', import: 'i' }, changes(change('1')), changes(change('2'))];
  const waiting = await open({ positions: held }).collect(start('positions'));
  expect(subjects(waiting.events)).toEqual([]);
  expect(waiting.sources.positions).toMatchObject({ position: 3, heldFrom: 1 });
  const { collect } = open({ positions: [...held, { kind: 'release', import: 'i' }] });
  const released = await collect(waiting.sources);
  expect(subjects(released.events)).toEqual(['1', '2']); // a family leaves the summary out
  expect(released.sources.positions).toEqual({ position: 4, index: 0 });
});

test('held changes that are discarded are emitted never', async () => {
  const { collect } = open({
    positions: [{ kind: 'hold', import: 'i' }, changes(change('1')), { kind: 'discard', import: 'i' }, changes()],
  });
  expect((await collect(start('positions'))).events).toEqual([]);
});

test('an entry with more events than a batch is continued where the batch ended, and read once', async () => {
  const many = Array.from({ length: MOST_EVENTS + 3 }, (_, index) => change(String(index + 1)));
  const { collect } = open({ positions: [changes(...many), changes(change('99999'))] });
  const first = await collect(start('positions'));
  expect([first.events.length, first.more]).toEqual([MOST_EVENTS, true]);
  expect(first.sources.positions).toEqual({ position: 0, index: MOST_EVENTS });
  const second = await collect(first.sources);
  expect(subjects(second.events)).toEqual([...many.slice(MOST_EVENTS).map(({ id }) => id), '99999']);
  expect(second).toMatchObject({ more: false, sources: { positions: { position: 2, index: 0 } } });
});

test('entries that were purged unread are one event, and reading goes on after them', async () => {
  const streams = { positions: [changes(change('1')), changes(change('2')), changes(change('3'))] };
  const { events, sources } = await open(streams, { purgedTo: 2 }).collect(start('positions'));
  expect(events.map(({ type }) => type)).toEqual(['ops.gap', 'dataset.positions.created']);
  expect(sources.positions).toMatchObject({ position: 3 });
});

test('no stream, no event', async () => {
  const { collect, reads } = open({});
  expect(await collect({})).toEqual({ events: [], sources: {}, more: false });
  expect(reads()).toBe(0);
});
