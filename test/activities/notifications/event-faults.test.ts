import { expect, test } from 'vitest';
import type { EventFault } from '../../../activities/notifications/event-batch.js';
import { deliveryRecordOf, foldDelivery } from '../../../notifications/delivery/delivery.js';
import { openDelivery } from './delivery-scene.js';

const POLICY = { schedule: [0], onAmbiguous: 'resend', receipts: 'none' } as const;

/** Writes three rows, of which the second cannot be read. */
async function open(spec: object) {
  const scene = await openDelivery(undefined, spec);
  const { write, change, drain, outbox, ledger, progress, id } = scene;
  const broken = { ...change('2', 'Open'), previous: '{"status":' };
  await write(change('1', 'Open'), broken, change('3', 'Open'));
  const faults: EventFault[] = [];
  await drain({ onFault: (fault) => void faults.push(fault) });
  const entry = await outbox.find(id, 2);
  if (entry === undefined) throw new Error('no event');
  const stateOf = async () =>
    foldDelivery(deliveryRecordOf(entry, await ledger.read({ subscription: id, sequence: 2 })), POLICY);
  return { ...scene, faults, entry, stateOf, counts: async () => (await progress.get(id))?.counts };
}
const subjects = (received: readonly { body: string }[]) => received.map(({ body }) => JSON.parse(body).subject);

test('an event that the filter cannot be evaluated on fails alone, with its reason and a link', async () => {
  const { receiver, faults, entry, stateOf, counts, dataset } = await open({ filter: 'status == Open' });
  expect(subjects(receiver.received)).toEqual(['1', '3']);
  expect(await stateOf()).toEqual({ state: 'failed', by: 'fault' });
  expect(entry.event.fault).toBe('the filter could not be evaluated: SyntaxError');
  expect(JSON.parse(entry.event.body)).toMatchObject({
    subject: '2',
    dataref: `http://slipway.test/v2/${dataset}/2/history`,
  });
  expect(JSON.parse(entry.event.body)).not.toHaveProperty('data');
  expect(await counts()).toEqual({ pending: 0, held: 0, delivered: 2, failed: 1, cancelled: 0 });
  expect(faults).toMatchObject([{ event: { type: `dataset.${dataset}.updated`, stream: dataset, position: 1 } }]);
});

test('an event whose data cannot be written fails alone, and an operator can send its link', async () => {
  const { receiver, drain, ledger, interventions, id, entry, stateOf, counts } = await open({});
  expect(subjects(receiver.received)).toEqual(['1', '3']);
  expect(entry.event.fault).toBe('its data could not be written: SyntaxError');
  expect(await stateOf()).toEqual({ state: 'failed', by: 'fault' });
  await ledger.reopen({ subscription: id, sequence: 2 }, { episode: 1, at: new Date().toISOString(), actor: 'ana' });
  await interventions.add(id, [2], { after: 0 });
  await drain();
  expect(JSON.parse(receiver.received.at(-1)?.body ?? '')).toMatchObject({ subject: '2', dataref: expect.any(String) });
  expect(await counts()).toMatchObject({ pending: 0, delivered: 3, failed: 0 });
});

test('a fault of the check of schemas is reported, and the event is delivered', async () => {
  const { write, change, drain, receiver } = await openDelivery();
  await write(change('1', 'Open'));
  const faults: EventFault[] = [];
  const check = (): never => {
    throw new TypeError('no such schema');
  };
  await drain({ check, onFault: (fault) => void faults.push(fault) });
  expect(receiver.received).toHaveLength(1);
  expect(faults).toMatchObject([{ reason: 'its data could not be checked', err: { name: 'TypeError' } }]);
});

test('a request that cannot be built fails by the schedule, and the drain goes on', async () => {
  const { write, change, drain, receiver, ledger, id } = await openDelivery(undefined, { schedule: [0, 30] });
  await write(change('1', 'Open'));
  expect(await drain({ keysOf: () => [] })).toMatchObject({ more: false, nextDueAt: expect.any(String) });
  const { attempts } = await ledger.read({ subscription: id, sequence: 1 });
  expect(attempts).toMatchObject([
    { end: { outcome: 'not_sent', error: 'the request could not be built: 1 to 5 keys sign a webhook' } },
  ]);
  await drain({ now: () => new Date(Date.now() + 60_000) });
  expect(receiver.received).toHaveLength(1);
});
