import { afterAll, expect, test } from 'vitest';
import { createMemoryDatabase } from '../../../../platform/stores/memory-database.js';
import { killAt, openStage, type Stage, startMortal } from './crash-scene.js';
import type { ProbePoint } from './points.js';

const stages: Stage[] = [];
afterAll(async () => {
  for (const { close } of stages) await close();
});

/**
 * A POST of a notice, a handshake, the POST again, two questions about receipts, a withdrawal, and a POST that comes too
 * late for it.
 */
const REQUESTS = [1, 2, 3, 4, 5, 6, 7];
const UNVERIFIED = { state: 'unverified', level: 'L0', receipts: 'none' } as const;
const PROVEN = { state: 'active', level: 'L2', receipts: 'tombstone', reason: null } as const;

async function killed(point: ProbePoint, requests: readonly number[]): Promise<Stage[]> {
  const database = createMemoryDatabase();
  const opened = await Promise.all(
    requests.map((probeRequest) => openStage(database, 'L2', point, { probeRequest, status: UNVERIFIED })),
  );
  stages.push(...opened);
  await killAt(startMortal(database, point, opened), opened);
  return opened;
}
const statusOf = async ({ subscriptions, id }: Stage) => (await subscriptions.get(id))?.status;

test('killed during any request of a probe, it has shown nothing; the next probe finds all of it', async () => {
  for (const [index, stage] of (await killed('during the probe', REQUESTS)).entries()) {
    expect(stage.asked()).toBe(index + 1);
    await stage.letGo();
    expect(await statusOf(stage)).toMatchObject(UNVERIFIED);
    await stage.probe();
    expect(await statusOf(stage)).toMatchObject(PROVEN);
    expect(stage.asked()).toBe(index + 1 + REQUESTS.length);
    await stage.goOn(0);
    expect([await stage.attempts(), stage.posts(), stage.effects.length]).toEqual([['confirmed'], 1, 1]);
  }
});

test('killed before the answers are stored it is asked again, and after that never', async () => {
  const [before] = await killed('behind the probe', [0]);
  expect(before && (await statusOf(before))).toMatchObject(UNVERIFIED);
  await before?.probe();
  expect(before && (await statusOf(before))).toMatchObject(PROVEN);
  expect(before?.asked()).toBe(2 * REQUESTS.length);

  const [behind] = await killed('behind the stored probe', [0]);
  expect(behind && (await statusOf(behind))).toMatchObject(PROVEN);
  await behind?.probe();
  expect(behind?.asked()).toBe(REQUESTS.length);
  await behind?.goOn(0);
  expect([await behind?.attempts(), behind?.posts(), behind?.effects.length]).toEqual([['confirmed'], 1, 1]);
});
