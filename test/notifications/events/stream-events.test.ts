import { expect, test } from 'vitest';
import { eventsOfStream, platformEventOf } from '../../../notifications/events/stream-events.js';
import type { EventEntry, PlatformEvent } from '../../../platform/kinds/platform-event.js';
import type { LogEntry } from '../../../reference/dataset/change.js';

const AT = '2026-01-02T00:00:00.000Z';
const event = (data: object | string, more: Partial<PlatformEvent> = {}): PlatformEvent => ({
  ...{ key: 'pipeline/ModelTraining/wine-3/5', type: 'pipeline.training.started', source: '/api/v1/model/training' },
  ...{ subject: 'training/wine-3', version: 5, at: AT, data: typeof data === 'string' ? data : JSON.stringify(data) },
  ...more,
});
const entry = (given: PlatformEvent, more: Partial<EventEntry> = {}): EventEntry => ({
  ...{ kind: 'event', event: given, position: 12, at: '2026-01-03T00:00:00.000Z', token: 't', ...more },
});

test('an event is read from its stream with all that it was stored with', () => {
  const given = event({ id: 'wine-3', state: 'running' });
  const source = platformEventOf('pipeline', entry(given));
  expect(source).toMatchObject({
    ...{ type: given.type, source: given.source, subject: given.subject, ref: given.source },
    // The time is that of the event: a late append does not change it.
    ...{ at: AT, stream: 'pipeline', position: 12, index: 0, schemaVersion: 1 },
  });
  expect(source.data('full')).toBe(given.data);
  expect(source.data('changed')).toBe(given.data);
  expect(source.row?.()).toEqual({ id: 'wine-3', state: 'running' });
});

test('a copy of an event has the id of the event, and the stream does not repeat it', () => {
  const given = event({ id: 'wine-3' });
  const first = platformEventOf('pipeline', entry(given));
  const copy = entry(given, { position: 90, token: 'other', repeated: true });
  expect(platformEventOf('pipeline', copy).id).toBe(first.id);
  expect(eventsOfStream('pipeline', { fields: {} }, copy)).toEqual([]);
  expect(eventsOfStream('pipeline', { fields: {} }, entry(given)).map(({ id }) => id)).toEqual([first.id]);
});

test.each<[string, Partial<PlatformEvent>, string]>([
  ['another version', { version: 6 }, 'pipeline'],
  ['another subject', { subject: 'training/wine-4' }, 'pipeline'],
  ['another type', { type: 'pipeline.training.failed' }, 'pipeline'],
  ['another stream', {}, 'ops'],
])('%s is another id', (_, more, stream) => {
  const known = platformEventOf('pipeline', entry(event({})));
  expect(platformEventOf(stream, entry(event({}, more))).id).not.toBe(known.id);
});

test('another key, time or content is the same event: the first one that was stored counts', () => {
  const known = platformEventOf('pipeline', entry(event({ state: 'running' })));
  const other = event({ state: 'failed' }, { key: 'k', at: '2027-01-01T00:00:00.000Z' });
  expect(platformEventOf('pipeline', entry(other)).id).toBe(known.id);
});

test.each([
  [
    'a resource',
    { kind: 'K', id: 'i', version: 1, generation: 2, state: 's' },
    ['kind', 'id', 'version', 'generation'],
  ],
  ['a gap', { watch: 'w', watch_name: 'n', entity_id: '4', gap_id: 'g' }, ['watch', 'entity_id', 'gap_id']],
  ['a row', { dataset: 'd', entity_id: '4', filter: 'f' }, ['dataset', 'entity_id']],
  ['a stream', { stream: 's', position: 4, seconds: 2 }, ['stream', 'position']],
  ['nothing of it', { state: 's', message: 'm', metrics: { id: 1 } }, []],
  ['no data', {}, []],
  ['empty values', { id: '', kind: null, version: 0, gap_id: false }, ['kind', 'id', 'version', 'gap_id']],
])('payload ids names %s', (_, data, names) => {
  const ids = JSON.parse(platformEventOf('ops', entry(event(data))).data('ids'));
  expect(Object.keys(ids)).toEqual(names);
  expect(data).toMatchObject(ids);
});

test.each([
  ['{"id":"wine-3","version":9007199254740993}', '{"id":"wine-3","version":9007199254740993}'],
  ['{"id":"wine-3","version":-9007199254740993}', '{"id":"wine-3","version":-9007199254740993}'],
  ['{"id":"wine-3","count":12345678901234567890,"version":5}', '{"id":"wine-3","version":5}'],
  ['{"message":"at:1234567890123456789","version":5}', '{"version":5}'],
  ['{"id":"9223372036854775807"}', '{"id":"9223372036854775807"}'],
  ['{"id":"Größe \\"葡萄酒\\" 🍷","message":"\\ud83d"}', '{"id":"Größe \\"葡萄酒\\" 🍷"}'],
])('payload ids of %s keeps the digits and the signs', (data, expected) => {
  expect(platformEventOf('pipeline', entry(event(data))).data('ids')).toBe(expected);
});

test('an entry of a dataset is read as one, with what it released', () => {
  const change = { id: '1', version: 1, at: AT, body: '{"id":"1"}', actor: 'ana', schema: 1, commit: 'c' };
  const base = { position: 4, at: AT, token: 't' };
  const types = (given: LogEntry, released = [change]) =>
    eventsOfStream('positions', { fields: {} }, given, released).map(({ type }) => type);
  expect(types({ ...base, kind: 'changes', changes: [change, change] })).toEqual([
    'dataset.positions.created',
    'dataset.positions.created',
  ]);
  expect(types({ ...base, kind: 'release', import: 'i' })).toEqual([
    'dataset.positions.created',
    'dataset.positions.imported',
  ]);
  expect(types({ ...base, kind: 'heartbeat' })).toEqual([]);
});
