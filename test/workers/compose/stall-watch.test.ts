import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createSchemaCheck } from '../../../notifications/events/schema-check.js';
import { platformEventOf } from '../../../notifications/events/stream-events.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import type { PlatformEvent } from '../../../platform/kinds/platform-event.js';
import { createStallWatch } from '../../../workers/compose/stall-watch.js';

const BEGIN = Date.parse('2026-01-01T00:00:00.000Z');

function open() {
  const emitted: PlatformEvent[] = [];
  const store = { away: false };
  const place = { stream: 'positions', position: 7, lagMs: 0 };
  const publish = async (event: PlatformEvent): Promise<void> => {
    if (store.away) throw new SlipwayError('unavailable', 'the database does not answer');
    emitted.push(event);
  };
  let looks = 0;
  let time = BEGIN;
  const places = () => {
    looks += 1;
    return [{ ...place }];
  };
  const now = () => new Date(time);
  const watch = createStallWatch({ tails: { positions: places }, ops: { publish }, stalledMs: 1_000, checkMs: 1, now });
  /** Waits for two more checks, so that earlier changes have had their effect. */
  const settle = async (): Promise<void> => {
    for (const until = looks + 2; looks < until;) await sleep(1);
  };
  /** Sets for how long the end of the stream was not read. */
  const pass = async (ms: number): Promise<void> => {
    time += ms;
    place.lagMs += ms;
    await settle();
  };
  return { emitted, store, place, settle, pass, stop: () => watch.stop() };
}

test('a stalled stream emits one event, when it moves again', async () => {
  const { emitted, place, settle, pass, stop } = open();
  await settle();
  await pass(120_000);
  expect(emitted).toEqual([]);
  place.lagMs = 10;
  await settle();
  place.position = 8;
  await settle();
  await stop();
  expect(emitted).toHaveLength(1);
  const [event] = emitted;
  if (event === undefined) throw new Error('no event was emitted');
  expect(event).toMatchObject({ key: 'ops/feed_stalled/positions/7', type: 'ops.feed_stalled' });
  expect(JSON.parse(event.data)).toEqual({
    ...{ stream: 'positions', position: 7, seconds: 120 },
    ...{ stalled_from: '2026-01-01T00:00:00.000Z', moved_at: '2026-01-01T00:02:00.000Z' },
  });
  const faults: unknown[] = [];
  const source = platformEventOf('ops', { kind: 'event', event, position: 1, at: event.at, token: 't' });
  const check = createSchemaCheck({ onFault: (fault) => void faults.push(fault) });
  for (const payload of ['full', 'ids'] as const) check(source, source.data(payload), { fields: {} });
  expect(faults).toEqual([]);
});

test('a reader with a long backlog has not stalled', async () => {
  const { emitted, place, settle, pass, stop } = open();
  await settle();
  for (let n = 0; n < 20; n += 1) {
    place.position += 1;
    await pass(900);
  }
  place.lagMs = 0;
  await settle();
  await stop();
  expect(emitted).toEqual([]);
});

test('an event that cannot be stored is emitted later', async () => {
  const { emitted, store, place, settle, pass, stop } = open();
  await settle();
  await pass(120_000);
  store.away = true;
  place.lagMs = 0;
  await settle();
  expect(emitted).toEqual([]);
  store.away = false;
  await settle();
  await stop();
  expect(emitted).toHaveLength(1);
});
