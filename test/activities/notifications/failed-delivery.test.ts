import { expect, test } from 'vitest';
import type { PlatformEvent } from '../../../platform/kinds/platform-event.js';
import { openDelivery } from './delivery-scene.js';
import type { Behavior } from './notification-scene.js';

const refuse: Behavior = (_, response) => void response.writeHead(500).end();

/** A subscription whose receiver refuses everything; `failures` reads the events of the stream `ops`. */
async function open(behave = refuse, spec: object = {}) {
  const scene = await openDelivery(behave, { schedule: [0], ...spec });
  const { ops, drain } = scene;
  return {
    ...scene,
    drain: (more: Parameters<typeof drain>[0] = {}) => drain({ emit: (event) => ops.publish(event), ...more }),
    failures: async () => {
      const found: { type: string; source: string; data: string; repeated?: true }[] = [];
      for (let position = 1; position <= (await ops.end()); position += 1) {
        const entry = await ops.read(position);
        if (entry?.kind === 'event') found.push({ ...entry.event, ...(entry.repeated && { repeated: true }) });
      }
      return found.map(({ data, ...event }) => ({ ...event, data: JSON.parse(data) as object }));
    },
  };
}

test('a delivery that failed for good emits one event, and one more when it fails again after a resend', async () => {
  const { write, change, drain, failures, ledger, interventions, dataset, id } = await open();
  await write(change('1', 'Open'));
  await drain();
  await drain();
  const [first, ...others] = await failures();
  expect(others).toEqual([]);
  expect(first).toMatchObject({
    ...{ type: 'ops.delivery.failed', source: `/v2/subscriptions/${id}/deliveries/1` },
    data: { subscription: id, sequence: 1, event_type: `dataset.${dataset}.created`, by: 'exhausted', version: 1 },
  });
  expect(first?.data).toMatchObject({ attempts: 1, status: 500, reason: 'status 500' });
  await ledger.reopen({ subscription: id, sequence: 1 }, { episode: 1, at: new Date().toISOString(), actor: 'ana' });
  await interventions.add(id, [1], { after: 0 });
  await drain();
  expect(await failures()).toMatchObject([{}, { type: 'ops.delivery.failed', data: { sequence: 1, version: 2 } }]);
});

test('a delivery that its receiver aborts emits one, and one that is delivered or waits emits none', async () => {
  const { write, change, drain, failures } = await open(
    (got, response) => {
      const { subject } = JSON.parse(got.body) as { subject: string };
      const isAborted = subject === '2';
      response.writeHead(subject === '1' ? 200 : 500, isAborted ? { 'webhook-delivery': 'abort-message' } : {}).end();
    },
    { schedule: [0, 3_600] },
  );
  await write(change('1', 'Open'), change('2', 'Open'), change('3', 'Open'));
  await drain();
  expect(await failures()).toMatchObject([{ data: { sequence: 2, by: 'aborted' } }]);
});

test('a worker that dies before it stores the failure leaves it to the next one, which emits no second event', async () => {
  const { write, change, drain, failures, ledger, ops, id } = await open();
  await write(change('1', 'Open'));
  const settlements = async () => (await ledger.read({ subscription: id, sequence: 1 })).settlements;
  const emit = async (event: PlatformEvent): Promise<never> => {
    await ops.publish(event);
    throw new Error('killed');
  };
  await drain({ emit }).catch(() => {});
  expect(await settlements()).toEqual([]);
  await drain();
  expect(await settlements()).toMatchObject([{ state: 'failed', by: 'exhausted' }]);
  expect(await failures()).toMatchObject([{ data: { sequence: 1, by: 'exhausted' } }]);
});

test('an event that failed by a bug emits one as well', async () => {
  const { write, change, drain, failures } = await open(undefined, { filter: 'status == Open' });
  await write({ ...change('1', 'Open'), previous: '{"status":' });
  await drain();
  await drain();
  expect(await failures()).toMatchObject([
    { data: { by: 'fault', attempts: 0, reason: expect.stringContaining('filter') } },
  ]);
});

test('the failure of a delivery of such an event emits none', async () => {
  const { write, change, drain, failures, subscriptions, id, ops, ledger } = await open();
  await write(change('1', 'Open'));
  await drain();
  await subscriptions.update(id, (each) => ({
    ...each,
    generation: each.generation + 1,
    spec: { ...each.spec, types: ['ops.*'] },
    status: { ...each.status, starts_at: { ops: { position: 0, index: 0 } } },
  }));
  const streamOf = () => ({ ...ops, readOn: (position: number) => ops.read(position) });
  await drain({ streamOf });
  await drain({ streamOf });
  expect((await ledger.read({ subscription: id, sequence: 2 })).settlements).toMatchObject([{ state: 'failed' }]);
  expect(await failures()).toHaveLength(1);
});
