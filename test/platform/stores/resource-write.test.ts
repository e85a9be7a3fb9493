import { expect, test } from 'vitest';
import type { PlatformEvent } from '../../../platform/kinds/platform-event.js';
import type { Resource } from '../../../platform/kinds/resource.js';
import type { Revision } from '../../../platform/stores/resource-log.js';
import {
  decideInsert,
  decideRemoval,
  decideUpdate,
  nextRevision,
  type ResourceWrite,
} from '../../../platform/stores/resource-write.js';

type Counted = Resource<{ notes: string[] }, { count: number }>;

const AT = '2026-01-01T00:00:00.000Z';
const counted: Counted = {
  kind: 'ModelDeployment',
  id: 'wine',
  uid: 'uid-1',
  spec: { notes: [] },
  status: { count: 0 },
  generation: 1,
  revision: 4,
  createdAt: AT,
  updatedAt: AT,
  createdBy: 'anna',
  updatedBy: 'anna',
};
const stored = (more: Partial<Revision<Counted>> = {}): Revision<Counted> => ({
  ...{ _id: 'wine/4', id: 'wine', revision: 4, change: 'created', at: AT, commit: 'c4', entity: counted, uid: 'uid-1' },
  ...more,
});
const removed = stored({ entity: null });
const raise = (current: Counted): Counted => ({ ...current, status: { count: current.status.count + 1 } });

test('an id that was never used or is removed can be inserted, and goes on with its revisions', () => {
  const fresh = { ...counted, revision: 0 };
  expect(decideInsert(undefined, fresh)).toEqual({ entity: fresh, result: { ...fresh, revision: 1 } });
  expect(decideInsert(removed, fresh).result.revision).toBe(5);
  expect(() => decideInsert(stored(), fresh)).toThrow(expect.objectContaining({ code: 'already_exists' }));
});

test('an update commits what the change returns, or nothing', () => {
  expect(decideUpdate(stored(), 'wine', raise)).toEqual({
    entity: raise(counted),
    result: { ...raise(counted), revision: 5 },
  });
  expect(decideUpdate(stored(), 'wine', () => undefined)).toEqual({ entity: undefined, result: counted });
  for (const current of [undefined, removed]) {
    expect(() => decideUpdate(current, 'wine', raise)).toThrow(expect.objectContaining({ code: 'not_found' }));
  }
});

test('a change that writes into its argument leaves the stored revision as it is', () => {
  const current = stored();
  decideUpdate(current, 'wine', (entity) => {
    entity.spec.notes.push('changed');
    return entity;
  });
  expect(current.entity?.spec.notes).toEqual([]);
});

test('a removal commits nothing when there is no resource or its condition refuses', () => {
  expect(decideRemoval(stored(), () => true)).toEqual({ entity: null, result: counted });
  expect(decideRemoval(stored(), ({ uid }) => uid === 'uid-2')).toEqual({ entity: undefined, result: undefined });
  expect(decideRemoval(removed, () => true)).toEqual({ entity: undefined, result: undefined });
});

test('the next revision holds the resource, its action and the event of both sides', () => {
  const writes: ResourceWrite[] = [];
  const event = { key: 'pipeline/ModelDeployment/wine/5' } as PlatformEvent; // only its presence matters
  const toEvent = (write: ResourceWrite) => {
    writes.push(write);
    return event;
  };
  const write = { kind: 'ModelDeployment', id: 'wine', before: stored(), at: AT, commit: 'c5', toEvent } as const;
  expect(nextRevision({ ...write, entity: raise(counted) })).toEqual({
    ...{ _id: 'wine/5', id: 'wine', revision: 5, change: 'statusUpdated', at: AT, commit: 'c5', uid: 'uid-1', event },
    entity: { ...raise(counted), revision: 5 },
  });
  expect(nextRevision({ ...write, entity: null })).toMatchObject({ change: 'deleted', entity: null, uid: 'uid-1' });
  const sides = { kind: 'ModelDeployment', before: counted, revision: 5, at: AT };
  expect(writes).toEqual([
    { ...sides, after: raise(counted) },
    { ...sides, after: undefined },
  ]);
});

test('a write without an event, of an id that was never used, is revision 1', () => {
  const write = { kind: 'ModelDeployment', id: 'wine', before: undefined, at: AT, commit: 'c1' } as const;
  const row = nextRevision({ ...write, entity: counted, toEvent: () => undefined });
  expect(row).toMatchObject({ _id: 'wine/1', change: 'created', entity: { revision: 1 } });
  expect(row).not.toHaveProperty('event');
});
