import { afterAll, expect, test } from 'vitest';
import { createMemoryDatabase } from '../../../../platform/stores/memory-database.js';
import { startTestReference } from '../../../api/reference/test-reference.js';
import { killAt, openStage, type Stage, type StageOptions, startDeciding } from './crash-scene.js';

const stages: Stage[] = [];
afterAll(async () => {
  for (const { close } of stages) await close();
});

async function open(options: StageOptions) {
  const database = createMemoryDatabase();
  const stage = await openStage(database, 'L1', 'behind the outcome', options);
  stages.push(stage);
  await stage.goOn(0);
  stage.receiver.calm();
  return { database, stage };
}
const failing = { notice: () => 'failing' as const };
const openFailed = () => open({ plan: failing, spec: { schedule: [0] } });

/** Sends an operator action to a process that dies between its two writes. */
const decide = async ({ database, stage }: Awaited<ReturnType<typeof open>>, ...what: ['resend' | 'cancel', number]) =>
  killAt(startDeciding(database, stage, ...what), [stage]);

test('a resend by an operator goes out, though the process that took it died in between', async () => {
  const scene = await openFailed();
  const { stage } = scene;
  expect(await stage.counts()).toMatchObject({ failed: 1, delivered: 0 });
  await decide(scene, 'resend', 1);
  for (const laterMs of [0, 3_600_000]) {
    await stage.goOn(laterMs);
    expect(await stage.attempts()).toEqual(['refused', 'confirmed']);
    expect(await stage.counts()).toMatchObject({ failed: 0, delivered: 1, pending: 0 });
  }
  const { reopenings } = await stage.ledger.read({ subscription: stage.id, sequence: 1 });
  expect(reopenings).toMatchObject([{ episode: 1 }]);
});

test('a repeat of the action is answered as under way, and the sender is notified; it goes out once', async () => {
  const scene = await openFailed();
  const { database, stage } = scene;
  await decide(scene, 'resend', 1);
  const api = await startTestReference({ database });
  try {
    const path = `/v2/subscriptions/${stage.id}/deliveries/1`;
    expect((await api.call('POST', `${path}/resend`)).body.code).toBe('delivery.in_flight');
    expect(api.started).toEqual([`wake ${stage.id}`]);
    expect((await api.call('GET', path)).body).toMatchObject({ state: 'pending' });
  } finally {
    await api.stop();
  }
  await stage.goOn(0);
  expect(await stage.attempts()).toEqual(['refused', 'confirmed']);
  expect(await stage.counts()).toMatchObject({ failed: 0, delivered: 1, pending: 0 });
});

test('a notice that waits behind another and was canceled is not sent, though who was asked died in between', async () => {
  const scene = await open({ plan: failing, spec: { schedule: [0, 60], ordering: { mode: 'strict' } }, changes: 2 });
  const { stage } = scene;
  expect([await stage.attempts(1), await stage.attempts(2)]).toEqual([['refused'], []]);
  await decide(scene, 'cancel', 2);
  await stage.goOn(100_000);
  expect([await stage.attempts(1), await stage.attempts(2)]).toEqual([['refused', 'confirmed'], []]);
  expect(await stage.counts()).toMatchObject({ delivered: 1, cancelled: 1, pending: 0 });
});

test('two who send it once more at the same time open it once', async () => {
  const { stage } = await openFailed();
  const [one, other] = ['ana', 'bo'].map((actor) => ({
    reopening: { episode: 1, at: new Date().toISOString(), actor },
  }));
  await stage.interventions.add(stage.id, [1], { after: 0, ...(one && { decision: one }) });
  await stage.goOn(0);
  // The word of the other, who had looked before, comes when all is over.
  await stage.interventions.add(stage.id, [1], { after: 1, ...(other && { decision: other }) });
  await stage.goOn(0);
  expect(await stage.attempts()).toEqual(['refused', 'confirmed']);
  expect(await stage.counts()).toMatchObject({ failed: 0, delivered: 1, pending: 0 });
});
