import { expect, test } from 'vitest';
import type { LogEntry } from '../../../reference/dataset/change.js';
import type { DatasetSpec } from '../../../reference/dataset/dataset.js';
import { foldControl, INITIAL_CONTROL, type ReplicaControl } from '../../../reference/dataset/replica-control.js';

const base = { position: 7, at: '2026-01-01T00:00:00.000Z', token: 't' };
// The fold does not read the declared fields.
const spec = { title: 'People' } as DatasetSpec;
const declared: LogEntry = { ...base, kind: 'schema', spec, schema: 3, actor: 'alice' };
const blocked = { import: 'i1', message: 'too few rows', at: base.at };
const fold = (control: ReplicaControl, entry: LogEntry, heldBy?: string) => foldControl(control, entry, heldBy);
const withDeclaration = fold(INITIAL_CONTROL, declared);

test('a declaration has the generation of its entry and ends a refusal', () => {
  const { declaration, generation, blocked: refusal } = fold({ ...INITIAL_CONTROL, blocked }, declared);
  expect(declaration).toMatchObject({ spec, generation: 3, position: 7, actor: 'alice' });
  expect([generation, refusal]).toEqual([3, undefined]);
});

test('a dropped dataset keeps its generation alone', () => {
  const pinned = fold(withDeclaration, { ...base, kind: 'pin', version: 5, asOf: base.at, reason: 'r', actor: 'a' });
  expect(fold({ ...pinned, blocked }, { ...base, kind: 'dropped', actor: 'a' })).toEqual({
    ...INITIAL_CONTROL,
    generation: 3,
  });
});

test.each<LogEntry>([
  { ...base, kind: 'changes', changes: [] },
  { ...base, kind: 'heartbeat' },
  { ...base, kind: 'hold', import: 'i1' },
  { ...base, kind: 'release', import: 'other' },
  { ...base, kind: 'discard', import: 'other', blocked: 'no' },
  { ...base, kind: 'discard', import: 'i1' },
])('an entry that does not concern it returns the same object: $kind', (entry) => {
  expect(fold(withDeclaration, entry, 'i1')).toBe(withDeclaration);
});

test('a refused state is blocked until the next release of a hold', () => {
  const refused = fold(withDeclaration, { ...base, kind: 'discard', import: 'i1', blocked: 'too few rows' }, 'i1');
  expect(refused.blocked).toEqual(blocked);
  expect(fold(refused, { ...base, kind: 'release', import: 'i2' }, 'i2').blocked).toBeUndefined();
});

test('a pin is set and removed; nothing else changes', () => {
  const pin = { version: 5, asOf: base.at, reason: 'audit', actor: 'alice' };
  const pinned = fold(withDeclaration, { ...base, kind: 'pin', ...pin });
  expect(pinned).toEqual({ ...withDeclaration, pin: { ...pin, at: base.at } });
  expect(fold(pinned, { ...base, kind: 'unpin', actor: 'bob' })).toEqual(withDeclaration);
});
