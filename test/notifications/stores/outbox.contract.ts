import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OutboxBlock } from '../../../notifications/kinds/outbox-event.js';
import { createAttemptLedger } from '../../../notifications/stores/attempts.js';
import type { Database } from '../../../platform/stores/database.js';
import { applyDecision, createOperatorActions } from '../../../notifications/stores/operator-actions.js';
import { createOutbox } from '../../../notifications/stores/outbox.js';

const AT = '2026-01-01T00:00:00.000Z';

/** Tests of the stores of deliveries, attempts and operator actions. */
export function outboxContract(open: () => Promise<Database>): void {
  let database: Database;
  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.close());

  function block(number: number, from: number, size: number): OutboxBlock {
    const notices = Array.from({ length: size }, (_, index) => {
      const sequence = from + index;
      const body = `{"n":"${sequence}","$.odd":{"é":9007199254740993}}`;
      return { sequence, id: `ntc_${sequence}`, eventId: `evt_${sequence}`, type: 't', about: 'a/1', body };
    });
    return {
      block: number,
      from,
      notices,
      sources: { 'a.b': { position: number, index: 0 } },
      at: AT,
      token: randomUUID(),
    };
  }

  test('a notice is found by its number, in blocks of any size, and its bytes are kept', async () => {
    const outbox = createOutbox({ database });
    const id = randomUUID();
    let from = 1;
    for (const [index, size] of [1, 7, 1, 1, 30, 2].entries()) {
      await outbox.insert(id, block(index + 1, from, size));
      from += size;
    }
    for (let sequence = 1; sequence < from; sequence += 1) {
      const found = await outbox.find(id, sequence);
      expect(found?.event).toEqual(block(0, sequence, 1).notices[0]);
    }
    expect(await outbox.find(id, from)).toBeUndefined();
    expect(await outbox.find(id, 0)).toBeUndefined();
    expect(await outbox.find(randomUUID(), 1)).toBeUndefined();
  });

  test('a walk goes both ways, and what was let go of is not found, by those who knew it either', async () => {
    const outbox = createOutbox({ database });
    const id = randomUUID();
    let from = 1;
    for (const [index, size] of [3, 1, 4, 2].entries()) {
      await outbox.insert(id, block(index + 1, from, size));
      from += size;
    }
    const walk = async (sequence: number, direction: 'up' | 'down') => {
      const found: number[] = [];
      for await (const { event: notice } of outbox.walk(id, sequence, direction)) found.push(notice.sequence);
      return found;
    };
    expect(await walk(3, 'up')).toEqual([3, 4, 5, 6, 7, 8, 9, 10]);
    expect(await walk(5, 'down')).toEqual([5, 4, 3, 2, 1]);
    expect(await walk(11, 'up')).toEqual([]);
    expect(await outbox.retained(id)).toEqual({ block: 1, sequence: 1 });

    const other = createOutbox({ database });
    const removed: number[] = [];
    const remove = async (blocks: readonly OutboxBlock[]) => void removed.push(...blocks.map(({ block }) => block));
    const dies = async () => Promise.reject(new Error('killed'));
    await expect(other.removeBefore(id, { block: 3, sequence: 5 }, dies)).rejects.toThrow('killed');
    expect(await outbox.retained(id)).toEqual({ block: 3, sequence: 5 });
    expect(await other.removeBefore(id, { block: 2, sequence: 4 }, remove)).toBe(2);
    expect(removed).toEqual([1, 2]);
    expect(await outbox.read(id, 2)).toBeUndefined();
    expect(await outbox.find(id, 4)).toBeUndefined();
    expect(await walk(5, 'up')).toEqual([5, 6, 7, 8, 9, 10]);
    expect(await walk(10, 'down')).toEqual([10, 9, 8, 7, 6, 5]);
  });

  test('of many that insert the same block one wins, and all go by it', async () => {
    const outbox = createOutbox({ database });
    const id = randomUUID();
    const stood = await Promise.all(Array.from({ length: 8 }, () => outbox.insert(id, block(1, 1, 2))));
    expect(new Set(stood.map(({ token }) => token)).size).toBe(1);
    expect(await outbox.read(id, 1)).toEqual(stood[0]);
  });

  test('of two senders one has an attempt, and its end is written once', async () => {
    const ledger = createAttemptLedger({ database });
    const key = { subscription: randomUUID(), sequence: 1 };
    const intent = (owner: string) => ({ number: 1, episode: 0, owner, startedAt: AT, deadline: AT });
    const begun = await Promise.all(['one', 'other'].map((owner) => ledger.begin(key, intent(owner))));
    expect(begun.filter(Boolean)).toHaveLength(1);
    const winner = begun[0] ? 'one' : 'other';
    expect(await ledger.begin(key, intent(winner))).toBe(true); // its first acknowledgement was lost
    const judged = { outcome: 'ambiguous', at: AT, error: 'given up' } as const;
    const seen = { outcome: 'confirmed', at: AT, status: 200 } as const;
    expect(await ledger.end(key, 1, judged)).toEqual(judged);
    expect(await ledger.end(key, 1, seen)).toEqual(judged);
    await ledger.addLate(key, 1, seen);
    await ledger.addReceipt(key, 1, { number: 1, at: AT, answer: 'unclear' });
    await ledger.addReceipt(key, 1, { number: 2, at: AT, answer: 'received' });
    const { attempts } = await ledger.read(key);
    expect(attempts).toMatchObject([
      { owner: winner, end: judged, late: seen, receipts: [{}, { answer: 'received' }] },
    ]);
  });

  test('an episode has one end and one beginning', async () => {
    const ledger = createAttemptLedger({ database });
    const key = { subscription: randomUUID(), sequence: 1 };
    const failed = { episode: 0, state: 'failed', by: 'exhausted', at: AT } as const;
    expect(await ledger.settle(key, failed)).toEqual(failed);
    expect(await ledger.settle(key, { ...failed, state: 'cancelled', by: 'operator' })).toEqual(failed);
    const reopening = { episode: 1, at: AT, actor: 'ana' };
    expect(await ledger.reopen(key, reopening)).toEqual(reopening);
    expect(await ledger.reopen(key, { ...reopening, actor: 'bo' })).toEqual(reopening);
    expect(await ledger.read(key)).toMatchObject({ settlements: [failed], reopenings: [{ episode: 1, actor: 'ana' }] });
  });

  test('removed deliveries leave no fact, and a confirmed one is not taken for one that was reopened or refused', async () => {
    const ledger = createAttemptLedger({ database });
    const subscription = randomUUID();
    const keys = [1, 2, 3, 4].map((sequence) => ({ subscription, sequence }));
    const [confirmed, reopened, refused, other] = keys;
    if (!confirmed || !reopened || !refused || !other) throw new Error('no keys');
    const intent = { number: 1, episode: 0, owner: 'o', startedAt: AT, deadline: AT };
    const end = { outcome: 'confirmed', at: AT, status: 200 } as const;
    for (const key of keys) {
      await ledger.begin(key, intent);
      await ledger.end(key, 1, key === refused ? { outcome: 'refused', at: AT, status: 500 } : end);
    }
    await ledger.reopen(reopened, { episode: 1, at: AT, actor: 'ana' });
    expect(await Promise.all(keys.map((key) => ledger.readConfirmed(key)))).toEqual([end, undefined, undefined, end]);

    await ledger.removeAll([{ ...confirmed, isConfirmed: true }, reopened, refused]);
    const nothing = { attempts: [], settlements: [], reopenings: [] };
    const facts = await Promise.all(keys.map((key) => ledger.read(key)));
    expect(facts.slice(0, 3)).toEqual([nothing, nothing, nothing]);
    expect(facts[3]).toMatchObject({ attempts: [{ end }] });
  });

  test('operator actions have one order, also when they are concurrent', async () => {
    const interventions = createOperatorActions({ database });
    const id = randomUUID();
    await Promise.all([5, 6, 7].map((sequence) => interventions.add(id, [sequence], { after: 0 })));
    const { sequences, position } = await interventions.read(id, 0);
    expect([sequences.toSorted(), position]).toEqual([[5, 6, 7], 3]);
    expect(await interventions.read(id, 2)).toMatchObject({ sequences: sequences.slice(2), position: 3 });
    const reopening = { episode: 1, at: AT, actor: 'ana' };
    const settlement = { episode: 1, state: 'cancelled', by: 'operator', at: AT } as const;
    await interventions.add(id, [5], { after: 3, decision: { reopening } });
    await interventions.add(id, [5], { after: 3, decision: { settlement } });
    expect((await interventions.read(id, 3)).actions).toEqual([
      { sequences: [5], decision: { reopening }, begun: 1 },
      { sequences: [5], decision: { settlement } },
    ]);
    expect(await interventions.read(id, 5)).toEqual({ actions: [], sequences: [], position: 5 });
  });

  test('a decision is stored once; the second caller that begins an episode is refused', async () => {
    const ledger = createAttemptLedger({ database });
    const key = { subscription: randomUUID(), sequence: 1 };
    const [first, second] = ['ana', 'bo'].map((actor) => ({ reopening: { episode: 1, at: AT, actor } }));
    if (first === undefined || second === undefined) throw new Error('two people decide');
    expect(await applyDecision(ledger, key, first)).toBe(true);
    expect(await applyDecision(ledger, key, second)).toBe(false);
    expect(await applyDecision(ledger, key, first)).toBe(true);
    const settlement = { episode: 1, state: 'cancelled', by: 'operator', at: AT } as const;
    for (let time = 1; time <= 2; time += 1) expect(await applyDecision(ledger, key, { settlement })).toBe(true);
    expect(await ledger.read(key)).toEqual({
      attempts: [],
      reopenings: [first.reopening],
      settlements: [settlement],
    });
  });
}
