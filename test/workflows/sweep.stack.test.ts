import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RoundPosition, RoundResult } from '../../platform/kinds/round.js';
import { openNamespace, type TestNamespace } from './namespace.js';

let namespace: TestNamespace;
beforeAll(async () => {
  namespace = await openNamespace();
});
afterAll(() => namespace.close());

const start = () => ({ workflowId: `loop-${Math.random()}`, taskQueue: 'control' });
const LOOPS = [
  ['sweep', 'sweep'],
  ['triggers', 'checkTriggers'],
  ['upkeep', 'upkeep'],
] as const;

test('a sweep tells what it had to repair, after an outage too', async () => {
  const repaired: RoundResult = { done: { runs_started: 2 }, skipped: ['training wine: unavailable'] };
  let attempts = 0;
  const sweep = async (): Promise<RoundResult> => {
    attempts += 1;
    if (attempts === 1) throw new Error('the database is away');
    return repaired;
  };
  await namespace.withActivities({ sweep }, async () => {
    expect(await namespace.client.workflow.execute('sweep', start())).toEqual(repaired);
  });
  expect(attempts).toBe(2);
});

test.each(LOOPS)('a round of %s continues where its last turn stopped, and joins their results', async (loop, name) => {
  const next = { part: 'training', item: 'wine' };
  const asked: (RoundPosition | undefined)[] = [];
  const turn = async (from?: RoundPosition): Promise<RoundResult> => {
    asked.push(from ?? undefined);
    return { done: { runs_started: 1 }, skipped: [], ...(asked.length < 3 ? { next } : {}) };
  };
  await namespace.withActivities({ [name]: turn }, async () => {
    const result = await namespace.client.workflow.execute(loop, start());
    expect(result).toEqual({ done: { runs_started: 3 }, skipped: [] });
  });
  expect(asked).toEqual([undefined, next, next]);
});

test('a round in which a list could not be read fails after its last turn', async () => {
  let turns = 0;
  const sweep = async (): Promise<RoundResult> => {
    turns += 1;
    if (turns === 2) return { done: {}, skipped: [] };
    return { done: {}, skipped: [], failed: ['container: away'], next: { part: 'container', item: 'a' } };
  };
  await namespace.withActivities({ sweep }, async () => {
    const failure = await namespace.client.workflow.execute('sweep', start()).catch((err: unknown) => err);
    expect(failure).toMatchObject({ cause: { message: 'container: away' } });
  });
  expect(turns).toBe(2);
});
