import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Effect, openOracle, readOracle } from '../../../bench/chaos/oracle.js';
import { createPlan } from '../../../bench/chaos/plan.js';
import { type Book, digestOf } from '../../../bench/chaos/receiver.js';
import { toTable } from '../../../bench/chaos/table.js';
import { type Evidence, findHeld, compareRecords } from '../../../bench/chaos/verdict.js';
import type { OutboxEvent } from '../../../notifications/kinds/outbox-event.js';

const notice = (sequence: number, subject = '1'): OutboxEvent => ({
  ...{ sequence, id: `ntc_${sequence}`, eventId: `evt_${sequence}`, type: 'dataset.a.updated', about: `a/${subject}` },
  body: JSON.stringify({ subject, data: { entity: { n: sequence } } }),
});
const effect = ({ id, sequence, body, about }: OutboxEvent): Effect => ({
  ...{ id, sequence, subject: about.slice(2), digest: digestOf(body) },
});
const book = ({ body }: OutboxEvent, more: Partial<Book> = {}): Book => ({
  ...{
    posts: 1,
    repeats: 0,
    refusedRepeats: 0,
    digests: new Set([digestOf(body)]),
    timestamps: [1],
    mayHaveEffect: true,
  },
  ...more,
});

const TWO = [notice(1), notice(2)];
function judged(change: Partial<Evidence> = {}, facts: Record<string, unknown> = {}) {
  const written = { notices: TWO, facts: new Map(Object.entries(facts)) };
  const books = new Map(TWO.map((each) => [each.id, book(each)]));
  return compareRecords({ values: [1, 2], records: written, effects: TWO.map(effect), books, ...change });
}
const GOOD = { notices: 2, lost: 0, doubledEffects: 0, duplicatePosts: 0, orderViolations: 0, changedBytes: 0 };

test('a run in which all went well has nothing to show', () => {
  expect(judged()).toMatchObject({ ...GOOD, ambiguous: 0 });
});

test('what is missing is found, whether it was never made or never arrived', () => {
  expect(judged({ effects: TWO.slice(1).map(effect) })).toMatchObject({ ...GOOD, lost: 1 });
  expect(judged({ values: [1, 2, 3] })).toMatchObject({ ...GOOD, lost: 1 });
});

test('what is doubled, out of order or changed is found', () => {
  expect(judged({ effects: [...TWO, notice(1)].map(effect) })).toMatchObject({ ...GOOD, doubledEffects: 1 });
  expect(judged({ effects: [notice(2), notice(1)].map(effect) })).toMatchObject({ ...GOOD, orderViolations: 1 });
  const other = [notice(1, '1'), notice(2, '2')];
  expect(judged({ effects: [...other].reverse().map(effect) })).toMatchObject({ ...GOOD, orderViolations: 0 });
  const books = new Map([['ntc_1', book(notice(1), { digests: new Set(['x']), repeats: 3 })]]);
  expect(judged({ books })).toMatchObject({ ...GOOD, changedBytes: 1, duplicatePosts: 3 });
});

test('a repeat is explained by unclear attempts of its own notice alone', () => {
  const facts = { '2/1/outcome': { outcome: 'ambiguous' }, '2/2/outcome': { outcome: 'ambiguous' } };
  const repeated = (sequence: number, more: Partial<Book>) =>
    judged({ books: new Map([[`ntc_${sequence}`, book(notice(sequence), more)]]) }, facts);
  expect(repeated(2, { repeats: 2 })).toMatchObject({ duplicatePosts: 2, unexplainedPosts: 0, ambiguous: 2 });
  expect(repeated(2, { repeats: 3 })).toMatchObject({ duplicatePosts: 3, unexplainedPosts: 1 });
  expect(repeated(1, { repeats: 1 })).toMatchObject({ duplicatePosts: 1, unexplainedPosts: 1 });
  expect(repeated(1, { refusedRepeats: 1 })).toMatchObject({
    ...{ duplicatePosts: 0, refusedPosts: 1, unexplainedPosts: 0 },
  });
  const campaign = { figures: repeated(1, { repeats: 1 }), faults: {}, kills: {}, seconds: 1 };
  expect(toTable('L1', campaign).text).toMatch(/unexplained POSTs +1 +bar 0: NOT REACHED/);
});

test('each unclear attempt is counted by what cleared it up', () => {
  const unclear = { outcome: 'ambiguous' };
  const intent = { episode: 0 };
  const facts = {
    ...{ '1/1': intent, '1/1/outcome': unclear, '1/1/receipt/1': { answer: 'unclear' } },
    ...{ '1/1/receipt/2': { answer: 'refused' }, '1/2': intent, '1/2/outcome': { outcome: 'confirmed' } },
    ...{ '2/1': intent, '2/1/outcome': unclear, '2/settled/0': { by: 'operator' } },
  };
  expect(judged({}, facts)).toMatchObject({ ambiguous: 2, ways: { withdrawn: 1, people: 1, receipt: 0, resend: 0 } });
});

test('what waits for people is found until they have decided', () => {
  const facts = { '1/1': { episode: 0 }, '1/1/outcome': { outcome: 'ambiguous' } };
  const held = (more: object = {}) =>
    findHeld({ notices: TWO, facts: new Map(Object.entries({ ...facts, ...more })) }).map(({ sequence }) => sequence);
  expect(held()).toEqual([1]);
  expect(held({ '1/settled/0': {} })).toEqual([]);
  expect(held({ '1/replay/1': {} })).toEqual([]);
  const again = { '1/replay/1': {}, '1/2': { episode: 1 }, '1/2/outcome': { outcome: 'ambiguous' } };
  expect(held(again)).toEqual([1]);
});

test('the table says which bar was not reached', () => {
  const campaign = { figures: { ...judged(), duplicatePosts: 1 }, faults: { reset: 2 }, kills: {}, seconds: 9 };
  expect(toTable('L2', { ...campaign, figures: judged() }).holds).toBe(true);
  const { text, holds } = toTable('L1', campaign);
  expect([holds, text]).toEqual([false, expect.stringMatching(/duplicate POSTs +1 +bar <= 0 AMBIGUOUS: NOT REACHED/)]);
  const unclear = { ...campaign, figures: { ...campaign.figures, ambiguous: 5 } };
  expect((['L0', 'L1', 'L2', 'hold'] as const).map((level) => toTable(level, unclear).holds)).toEqual([
    ...[true, true, false, false],
  ]);
  const lost = { ...campaign, figures: { ...judged(), lost: 1 } };
  expect(toTable('L0', lost).holds).toBe(false);
});

test('a plan is the same for the same seed, and spares what has met enough', () => {
  const faults = (seed: number, nth: number) =>
    Array.from({ length: 2_000 }, (_, n) => createPlan(seed).notice?.(`ntc_${n}`, nth));
  expect(faults(7, 1)).toEqual(faults(7, 1));
  expect(faults(7, 1)).not.toEqual(faults(8, 1));
  const inAnotherRun = (run: string) =>
    Array.from({ length: 500 }, (_, n) => createPlan(7).notice?.(`ntc_${run}_${n}_${run}x`, 1));
  expect(inAnotherRun('a')).toEqual(inAnotherRun('b'));
  const struck = faults(7, 1).filter((fault) => fault !== undefined);
  expect(struck.length).toBeGreaterThan(200);
  expect(struck.length).toBeLessThan(600);
  expect(new Set(struck).size).toBeGreaterThan(10);
  expect(faults(7, 6).filter((fault) => fault !== undefined)).toEqual([]);
});

test('an oracle keeps effects in their order, over a restart too', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-oracle-'));
  const file = join(folder, 'effects.ndjson');
  for (const each of TWO) {
    const oracle = await openOracle(file);
    await oracle.note(effect(each));
    await oracle.close();
  }
  expect(await readOracle(file)).toEqual(TWO.map(effect));
  await rm(folder, { recursive: true });
});
