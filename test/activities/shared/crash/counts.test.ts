import { afterAll, expect, test } from 'vitest';
import { RecoverySpec } from '../../../../notifications/kinds/recovery.js';
import { applyDecision } from '../../../../notifications/stores/operator-actions.js';
import { createMemoryDatabase } from '../../../../platform/stores/memory-database.js';
import { killAt, openStage, type Stage, startMortal } from './crash-scene.js';

const stages: Stage[] = [];
afterAll(async () => {
  for (const { close } of stages) await close();
});

const done = () => ({ at: new Date().toISOString(), actor: 'ana' });

async function resend({ id, ledger, interventions }: Stage, episode: number): Promise<void> {
  const decision = { reopening: { episode, ...done() } };
  await interventions.add(id, [1], { after: 0, decision });
  await applyDecision(ledger, { subscription: id, sequence: 1 }, decision);
}

const order = (stage: Stage) =>
  stage.recoveries.add(stage.id, { kind: 'recover', spec: RecoverySpec.parse({}), first: 1, last: 1, ...done() }, 0);

/** A notice that failed for good, which is all that was written down. */
async function openFailed() {
  const database = createMemoryDatabase();
  const plan = { notice: () => 'failing' as const };
  const stage = await openStage(database, 'L1', 'behind the outcome', { plan, spec: { schedule: [0] } });
  stages.push(stage);
  await stage.goOn(0);
  expect(await stage.counts()).toMatchObject({ failed: 1, delivered: 0 });
  stage.receiver.calm();
  return { database, stage };
}

test.each([
  ['people', (stage: Stage) => resend(stage, 1)],
  ['an order', order],
])(
  'what was opened again twice before its sender wrote anything down is counted once: first by %s',
  async (_, open) => {
    const { database, stage } = await openFailed();
    await open(stage);
    await killAt(startMortal(database, 'behind the outcome', [stage]), [stage]);
    expect(await stage.attempts()).toEqual(['refused', 'confirmed']);
    expect(await stage.counts()).toMatchObject({ failed: 1, delivered: 0 });
    await resend(stage, 2);
    for (const laterMs of [0, 3_600_000]) {
      await stage.goOn(laterMs);
      expect(await stage.attempts()).toEqual(['refused', 'confirmed', 'confirmed']);
      expect(await stage.counts()).toMatchObject({ failed: 0, delivered: 1, pending: 0, cancelled: 0 });
    }
  },
);

test('what was opened again twice, and both times came to an end, before its sender wrote anything down', async () => {
  const { database, stage } = await openFailed();
  const known = await stage.progress.get(stage.id);
  if (known === undefined) throw new Error('it was drained');
  await resend(stage, 1);
  await stage.goOn(0);
  await resend(stage, 2);
  await killAt(startMortal(database, 'behind the outcome', [stage]), [stage]);
  await stage.progress.put(stage.id, known);
  await stage.goOn();
  expect(await stage.attempts()).toEqual(['refused', 'confirmed', 'confirmed']);
  expect(await stage.counts()).toMatchObject({ failed: 0, delivered: 1, pending: 0 });
});

test('a word of the feed about what was opened again long ago changes no count', async () => {
  const { stage } = await openFailed();
  await resend(stage, 1);
  await stage.goOn(0);
  await stage.interventions.add(stage.id, [1], { after: 1 });
  await stage.goOn(0);
  expect(await stage.counts()).toMatchObject({ failed: 0, delivered: 1, pending: 0 });
});
