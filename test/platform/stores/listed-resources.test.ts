import { expect, test } from 'vitest';
import { listedFields } from '../../../platform/stores/listed-fields.js';
import { ListedResources } from '../../../platform/stores/listed-resources.js';
import { type ListCondition, meets } from '../../../platform/stores/resource-index.js';
import { seeded } from '../../notifications/watches/traces.js';
import { type Listed, listed } from './resource-index.contract.js';

const STATES = ['unknown', 'running', 'failed', 'succeeded'];
const fields = listedFields('ModelTraining');

test('after any loads, writes and removals, a page is that of the sorted and filtered resources', () => {
  const below = seeded(7);
  const draw = (id: string): Listed =>
    listed(id, { version: String(below(5_000)), state: STATES[below(4)] ?? '', toolchain: `tool-${below(3)}` });
  const list = new ListedResources(fields);
  const model = new Map<string, Listed>();
  const draws = Array.from({ length: 300 }, (_, at) => draw(`id-${(at * 7_919) % 300}`));
  for (const resource of draws) {
    list.add(resource);
    model.set(resource.id, resource);
  }
  list.sort();
  for (let step = 0; step < 3_000; step += 1) {
    const id = `id-${below(500)}`;
    const next = below(3) === 0 ? undefined : draw(id);
    list.set(id, next);
    if (next === undefined) model.delete(id);
    else model.set(id, next);
    if (step % 50 > 0) continue;
    const version = [...model.values()][below(model.size)]?.spec.model.version ?? '';
    const conditions: ListCondition[] = [
      { field: 'status.state', in: STATES.slice(0, below(4)) },
      { field: 'spec.toolchain', in: ['tool-1', 'absent'] },
      { field: 'spec.model.version', in: [version, 'absent'] },
    ];
    const where = conditions.filter(() => below(2) === 0);
    const expected = [...model.keys()].sort().filter((each) => meets(model.get(each) ?? listed(''), where));
    const [skip, limit] = [below(20), below(40)];
    expect(list.page({ where, skip, limit })).toEqual({
      ids: expected.slice(skip, skip + limit),
      total: expected.length,
    });
  }
});

test('the text of a removed value does not match what takes its place', () => {
  const list = new ListedResources(fields);
  const of = (version: string) =>
    list.page({ where: [{ field: 'spec.model.version', in: [version] }], skip: 0, limit: 9 });
  list.set('a', listed('a', { version: '1' }));
  list.set('a', listed('a', { version: '2' }));
  list.set('b', listed('b', { version: '3' }));
  expect([of('1').ids, of('2').ids, of('3').ids]).toEqual([[], ['a'], ['b']]);
});

test('a resource without a value is in no page that asks for one', () => {
  const list = new ListedResources(fields);
  list.set('a', { ...listed('a'), status: {} });
  expect(list.page({ where: [{ field: 'status.state', in: ['', 'undefined'] }], skip: 0, limit: 9 }).total).toBe(0);
  expect(list.page({ where: [], skip: 0, limit: 9 }).ids).toEqual(['a']);
});

test('a field of another kind is refused', () => {
  const where: ListCondition[] = [{ field: 'spec.roleName', in: ['x'] }];
  expect(() => new ListedResources(fields).page({ where, skip: 0, limit: 1 })).toThrow('spec.roleName');
});
