import { expect, test } from 'vitest';
import { openWakePort } from '../../workers/compose/wake-port.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { eventually, startEdge, startModel, wine } from './edge.js';

const BODY = '{"data":[[1]]}';

/** A model that answers when it is let go. */
async function startHeldModel() {
  const held: (() => void)[] = [];
  const model = await startModel(() => new Promise((resolve) => held.push(() => resolve({ body: '{}' }))));
  return { model, letGo: () => held.splice(0).forEach((go) => go()) };
}

test('a gateway reports the calls, and which replica that left still answers one', async () => {
  const { model, letGo } = await startHeldModel();
  const edge = await startEdge([wine([model.url], { epoch: 1, version: 1, scales: true })]);
  const report = async () => (await edge.readers.reports())[0];
  const calls = [edge.invoke(BODY), edge.invoke(BODY)];
  await eventually(() => model.calls.length === 2);
  const before = (await report())?.load.busySeconds.wine ?? 0;
  await eventually(async () => ((await report())?.load.busySeconds.wine ?? 0) > before + 0.1);
  edge.table.set('wine', wine([], { epoch: 1, version: 2, scales: true, rest: 'paused' }));
  await eventually(async () => (await report())?.serves('wine', { epoch: 1, version: 2 }) === true);
  expect((await report())?.load.draining).toEqual(['wine-r0']);
  expect((await report())?.serves('wine', { epoch: 1, version: 3 })).toBe(false);
  letGo();
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200]);
  await eventually(async () => (await report())?.load.draining.length === 0);
  await edge.stop();
  await model.stop();
});

test('a call at a deployment that rests asks its supervisor for a replica, with the token of its route', async () => {
  const model = await startModel(() => ({ body: '{"from":"woken"}' }));
  const { wakePort, close } = await openWakePort({ host: '127.0.0.1', port: 0 });
  const woken = { epoch: 1, version: 2, replicas: [{ name: 'wine-r0', url: model.url }] };
  let start = async () => woken;
  const stop = wakePort.open('wine', () => start());
  const asleep = (version: number) =>
    wine([], { epoch: 1, version, scales: true, rest: 'stopped', wake: wakePort.address() });
  const edge = await startEdge([asleep(1)]);
  const answer = await edge.invoke(BODY);
  expect([answer.status, await answer.text()]).toEqual([200, '{"from":"woken"}']);
  expect(Number(answer.headers.get('x-slipway-cold-start'))).toBeGreaterThanOrEqual(0);
  expect(await edge.metrics()).toMatch(
    /slipway_cold_start_seconds_count\{deployment="wine",revision="3",tier="stopped"\} 1/,
  );

  const { url } = wakePort.address();
  expect((await fetch(`${url}/wake/wine`, { method: 'POST' })).status).toBe(401);
  const headers = { authorization: `Bearer ${wakePort.address().token}` };
  expect((await fetch(`${url}/wake/none`, { method: 'POST', headers })).status).toBe(404);

  start = () => Promise.reject(new SlipwayError('no_replica', 'replica r0 ended: no model'));
  edge.table.set('wine', asleep(3));
  await eventually(() => edge.routes.all()[0]?.version === 3);
  const refused = await edge.invoke(BODY);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await refused.json()).toEqual({ message: 'replica r0 ended: no model' });
  stop();
  await edge.stop();
  await close();
  await model.stop();
});

test('a call that waits while the deployment gets a new generation is answered by that one', async () => {
  const { model, letGo } = await startHeldModel();
  const next = await startModel(() => ({ body: '{"from":"next"}' }));
  const edge = await startEdge([wine([model.url], { epoch: 1, concurrency: 1 })]);
  const first = edge.invoke(BODY);
  await eventually(() => model.calls.length === 1);
  const waiting = edge.invoke(BODY);
  await eventually(async () =>
    (await edge.metrics()).includes('slipway_queue_depth{deployment="wine",revision="3"} 1'),
  );
  edge.table.set('wine', wine([next.url], { epoch: 2, generation: 4, modelVersion: '2.0' }));
  const answer = await waiting;
  expect([await answer.text(), answer.headers.get('model-version')]).toEqual(['{"from":"next"}', '2.0']);
  letGo();
  expect((await first).status).toBe(200);
  await edge.stop();
  await Promise.all([model.stop(), next.stop()]);
});
