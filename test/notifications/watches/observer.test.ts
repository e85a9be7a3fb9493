import { expect, test } from 'vitest';
import type { Change } from '../../../reference/dataset/change.js';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import { WatchSpec } from '../../../notifications/kinds/watch.js';
import { findGapStart } from '../../../notifications/watches/gap-start.js';
import { createObserver, observesDataset } from '../../../notifications/watches/observer.js';

const declared = DatasetSpec.parse({
  fields: {
    status: { type: 'enum', values: ['Open', 'Filled'] },
    rate: { type: 'integer' },
    customer: { type: 'object', fields: { id: { type: 'id' } } },
  },
});
function spec(more: object = {}) {
  const parsed = WatchSpec.parse({ name: 'quiet', scope: { dataset: 'positions' }, period: 'P1D', ...more });
  if (!observesDataset(parsed)) throw new Error('it is about a stream');
  return parsed;
}

/** The changes of one entity, from what its fields became; the fields of the version before are in each. */
function changesOf(states: (object | null)[]): Change[] {
  return states.map((fields, index) => {
    const version = index + 1;
    const at = `2026-02-${String(version).padStart(2, '0')}T00:00:00.000Z`;
    const before = states[index - 1];
    const body = fields && JSON.stringify({ id: '7', ...fields, version, created_at: at, updated_at: at });
    const absent = Object.fromEntries(Object.keys(fields ?? {}).map((name) => [name, null]));
    const previous = before === undefined ? {} : { previous: JSON.stringify({ ...absent, ...before }) };
    return { id: '7', version, at, body, actor: 'test', schema: 1, commit: '', ...previous };
  });
}
const observed = (watch: object, states: (object | null)[]) => {
  const observer = createObserver(spec(watch), declared);
  return changesOf(states).map((change, index) => observer.observe(change, 100 + index));
};

test('rows are in the scope while the filter takes them, and a deleted one is in none', () => {
  const filter = { scope: { dataset: 'positions', filter: 'status == Open' } };
  const seen = observed(filter, [{ status: 'Open' }, { status: 'Filled' }, { status: 'Open' }, null]);
  expect(seen.map((each) => each?.member)).toEqual([true, false, true, false]);
  expect(seen[0]).toEqual({ id: 7n, version: 1, member: true, counts: true, dwells: true });
});

test('one entity alone', () => {
  const other = observed({ scope: { dataset: 'positions', entity: '8' } }, [{ rate: 1 }]);
  const same = observed({ scope: { dataset: 'positions', entity: '7' } }, [{ rate: 1 }]);
  expect([other[0]?.member, same[0]?.member]).toEqual([false, true]);
});

test('only changes of listed fields count; a name includes all fields below it', () => {
  const states = [
    { rate: 1 },
    { rate: 1, status: 'Open' },
    { rate: 2, status: 'Open' },
    { rate: 2, customer: { id: '1' } },
  ];
  const counts = (fields: string[]) => observed({ counts: { fields } }, states).map((each) => each?.counts);
  expect(counts(['rate'])).toEqual([true, false, true, false]);
  expect(counts(['customer'])).toEqual([true, false, false, true]);
});

test('of a whole set every change in it counts, also the one that leaves it', () => {
  const set = { each: 'set', scope: { dataset: 'positions', filter: 'status == Open' } };
  const seen = observed(set, [
    { status: 'Filled' },
    { status: 'Open' },
    { status: 'Filled' },
    { status: 'Filled', rate: 1 },
  ]);
  expect(seen.map((each) => each && [each.id, each.version])).toEqual([undefined, [0n, 101], [0n, 102], undefined]);
});

test('a filter goes by the last declaration that had its fields', () => {
  const observer = createObserver(spec({ scope: { dataset: 'positions', filter: 'status == Open' } }), declared);
  observer.declare(DatasetSpec.parse({ fields: { rate: { type: 'integer' } } }));
  expect(observer.membershipOf('{"id":"7","status":"Open"}')).toEqual({ member: true, dwells: true });
  expect(observer.membershipOf('{"id":"7"}')).toEqual({ member: false, dwells: false });
});

test.each([
  ['any change', {}, 6],
  ['listed fields', { counts: { fields: ['rate'] } }, 3],
  ['a predicate that stays true', { counts: { dwell: 'rate >= 2' } }, 3],
  [
    'the change that brought it in',
    { counts: { fields: ['customer'] }, scope: { dataset: 'positions', filter: 'rate >= 2' } },
    3,
  ],
])('the gap began with %s', async (_, watch, version) => {
  const changes = changesOf([
    { rate: 2 },
    { rate: 1 },
    { rate: 2 },
    { rate: 2, status: 'Open' },
    { rate: 2, status: 'Filled' },
    { rate: 2 },
  ]);
  const wanted = spec(watch);
  const { counts } = wanted;
  const options = {
    counts,
    armAt: 'last_change' as const,
    createdAt: 0,
    observer: createObserver(wanted, declared),
    read: async (_id: string, wanted: number) => changes[wanted - 1],
  };
  const row = { id: '7', version: 6, body: changes[5]?.body ?? '' };
  const since = Date.UTC(2026, 1, version);
  expect(await findGapStart(options, row)).toEqual({ gap: version, since });
  const createdAt = Date.UTC(2026, 1, 28);
  const first = await findGapStart({ ...options, createdAt, armAt: 'first_change' }, row);
  const creation = await findGapStart({ ...options, createdAt, armAt: 'creation' }, row);
  expect([first, creation]).toEqual([undefined, { gap: version, since: createdAt }]);
});
