import { afterAll, expect, test } from 'vitest';
import { type Recovery, RecoverySpec } from '../../../../notifications/kinds/recovery.js';
import { createMemoryDatabase } from '../../../../platform/stores/memory-database.js';
import type { Database } from '../../../../platform/stores/database.js';
import { killAt, openStage, type Stage, startMortal } from './crash-scene.js';
import type { Point } from './points.js';

const stages: Stage[] = [];
afterAll(async () => {
  for (const { close } of stages) await close();
});

const CHANGES = 3;
const SEQUENCES = [1, 2, 3];
const KINDS = ['replay', 'recover'] as const satisfies readonly Recovery['kind'][];

/** Three notices that were taken, or failed for good, and the order to send them once more. */
async function ordered(database: Database, kind: Recovery['kind'], point: Point): Promise<Stage> {
  const fault = kind === 'recover' ? ('failing' as const) : undefined;
  const plan = { notice: () => fault };
  const stage = await openStage(database, 'L1', point, { changes: CHANGES, plan, spec: { schedule: [0] } });
  stages.push(stage);
  await stage.goOn(0);
  expect(await stage.state()).toBe(kind === 'recover' ? 'failed' : 'delivered');
  stage.receiver.calm();
  const given = { kind, spec: RecoverySpec.parse({}), first: 1, last: CHANGES, actor: 'ana' };
  await stage.recoveries.add(stage.id, { ...given, at: new Date().toISOString() }, 0);
  // From now on attempts may be repeated: it was the schedule alone that let them fail.
  await stage.subscriptions.update(stage.id, (each) => ({ ...each, spec: { ...each.spec, schedule: [0, 0, 0] } }));
  return stage;
}

test.each<Point>([
  'behind the re-opening',
  'behind the intent',
  'before the outcome',
  'behind the outcome',
  "before the order's end",
  "behind the order's end",
])('an order whose sender is killed %s is carried out once', async (point) => {
  const database = createMemoryDatabase();
  const opened = await Promise.all(KINDS.map((kind) => ordered(database, kind, point)));
  await killAt(startMortal(database, point, opened), opened);
  for (const stage of opened) {
    await stage.goOn();
    await stage.goOn(3_600_000);
    // Besides the ordered ones, only the delivery with an unknown outcome comes again.
    const attempts = (await Promise.all(SEQUENCES.map((sequence) => stage.attempts(sequence)))).flat();
    const unclear = attempts.filter((end) => end === 'ambiguous').length;
    expect(stage.posts()).toBeGreaterThanOrEqual(2 * CHANGES);
    expect(stage.posts()).toBeLessThanOrEqual(2 * CHANGES + unclear);
    expect(attempts).toHaveLength(2 * CHANGES + unclear);
    expect(stage.effects).toHaveLength(CHANGES);
    expect(await stage.state()).toBe('delivered');
    const counts = { examined: CHANGES, matched: CHANGES, reopened: CHANGES };
    expect(await stage.recoveries.readEnd(stage.id, 1)).toMatchObject(counts);
    expect((await stage.progress.get(stage.id))?.recovery).toMatchObject({ number: 1, done: true });
    for (const sequence of SEQUENCES) {
      const facts = await stage.ledger.read({ subscription: stage.id, sequence });
      expect(facts.reopenings).toMatchObject([{ episode: 1, order: 1 }]);
    }
  }
});
