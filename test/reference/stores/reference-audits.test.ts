import { expect, test } from 'vitest';
import { until } from '../../e2e/until.js';
import { createReferenceAudits, type ReferenceAuditsOptions } from '../../../reference/stores/reference-audits.js';
import { openDatasets } from './open-datasets.js';

const BIG = 2n ** 60n;

/** Opens people with references to skills, of which some are deleted. */
async function open(more: Partial<ReferenceAuditsOptions> = {}) {
  const scene = await openDatasets(undefined, { indexed: true });
  await scene.declare('skills', { name: { type: 'text' } });
  await scene.declare('people', {
    best: { type: 'ref', dataset: 'skills', on_delete: 'keep' },
    others: { type: 'list', of: { type: 'ref', dataset: 'skills', on_delete: 'keep' } },
  });
  for (const id of [1, 2, 3]) await scene.put('skills', id, { name: `n${id}` });
  await scene.put('people', 10, { best: { id: '1' } });
  await scene.put('people', BIG, { best: { id: '2' }, others: [{ id: '3' }, { id: '2' }] });
  await scene.put('people', 11, { others: [{ id: '3' }] });
  const clock = { ms: Date.parse('2026-01-01T00:00:00.000Z') };
  const audits = createReferenceAudits({ datasets: scene.datasets, now: () => new Date(clock.ms), ...more });
  const page = (size = 10, after?: bigint) => audits.page('people', { size, after });
  return { ...scene, audits, page, clock };
}
const idsOf = ({ items }: { items: { id: bigint }[] }) => items.map(({ id }) => id);

test('a dataset whose references all lead somewhere has an audit with no rows', async () => {
  const { page, audits } = await open();
  expect(audits.last('people')).toBeUndefined();
  const { audit, items, hasMore } = await page();
  expect([items, hasMore]).toEqual([[], false]);
  expect(audit).toMatchObject({ references: 0, rows: 0, at: '2026-01-01T00:00:00.000Z' });
  expect(audits.last('people')).toEqual(audit);
});

test('rows are listed by id, each with the references that lead to nothing; repeats count', async () => {
  const { page, remove } = await open();
  await remove('skills', 2);
  await remove('skills', 3);
  const { items, audit } = await page();
  expect(items.map(({ id, references }) => [id, references.map((each) => `${each.field} ${each.id}`)])).toEqual([
    [11n, ['others 3']],
    [BIG, ['best 2', 'others 3', 'others 2']],
  ]);
  expect(audit).toMatchObject({ references: 4, rows: 2 });
});

test('pages of any size hold every row once', async () => {
  const { page, remove } = await open();
  for (const id of [1, 2, 3]) await remove('skills', id);
  for (const size of [1, 2, 3, 4]) {
    const found: bigint[] = [];
    for (let after: bigint | undefined; ;) {
      const { items, hasMore } = await page(size, after);
      expect(items.length).toBeLessThanOrEqual(size);
      found.push(...items.map(({ id }) => id));
      after = found.at(-1);
      if (!hasMore) break;
    }
    expect(found).toEqual([10n, 11n, BIG]);
  }
  expect(idsOf(await page(10, BIG))).toEqual([]);
  expect(idsOf(await page(10, 10n))).toEqual([11n, BIG]);
  expect(idsOf(await page(10, 9n))).toHaveLength(3); // an id that has no row is a place too
});

test('an audit is made once for a state, and again when a target or the dataset itself changed', async () => {
  const { page, clock, put, remove } = await open();
  const first = await page();
  clock.ms += 1_000;
  expect((await page()).audit).toBe(first.audit);
  await put('skills', 9, { name: 'another' });
  const second = await page();
  expect(second.audit).not.toBe(first.audit);
  await remove('skills', 1);
  expect(idsOf(await page())).toEqual([10n]);
  await put('people', 10, {});
  expect(idsOf(await page())).toEqual([]);
});

test('calls at the same time share one audit', async () => {
  const { page, remove } = await open();
  await remove('skills', 1);
  const pages = await Promise.all([page(), page(), page()]);
  expect(new Set(pages.map(({ audit }) => audit)).size).toBe(1);
});

test('a deleted row has no references, and one that comes back has its own', async () => {
  const { page, put, remove } = await open();
  await remove('skills', 1);
  await remove('people', 10);
  expect(idsOf(await page())).toEqual([]);
  await put('people', 10, { best: { id: '3' } });
  expect(idsOf(await page())).toEqual([]);
});

test('a dataset that is not declared has no audit', async () => {
  const { audits } = await open();
  await expect(audits.page('nothing', { size: 1 })).rejects.toMatchObject({ code: 'dataset.not_found' });
  expect(audits.last('nothing')).toBeUndefined();
});

test('every dataset is audited once a day, also when one of them cannot be', async () => {
  const errors: unknown[] = [];
  const { clock, datasets, remove } = await open();
  await datasets.open('undeclared');
  let turns = 0;
  const all = () => {
    turns += 1;
    return datasets.all();
  };
  const audits = createReferenceAudits({
    ...{ datasets: { ...datasets, all }, lookMs: 2, now: () => new Date(clock.ms) },
    onError: (err) => errors.push(err),
  });
  audits.start();
  audits.start(); // a second call starts no second timer
  await until('both audits', async () => audits.last('people') !== undefined && audits.last('skills') !== undefined);
  const first = audits.last('people');
  await remove('skills', 1);
  clock.ms += 86_399_000;
  const before = turns;
  await until('two turns within the day', async () => turns >= before + 3);
  expect(audits.last('people')).toBe(first);
  clock.ms += 1_000;
  await until('the next day', async () => audits.last('people')?.references === 1);
  audits.stop();
  expect([errors, audits.last('undeclared')]).toEqual([[], undefined]);
});
