import { expect, test } from 'vitest';
import { foldLogState } from '../../../../activities/notifications/watches/dataset-watches.js';
import type { StreamEntry } from '../../../../notifications/kinds/stream-entry.js';

const EMPTY = { declared: { fields: {} }, token: '', isHeld: false };
const entry = (content: object, token = 't') =>
  ({ position: 1, at: '2026-01-01T00:00:00.000Z', token, ...content }) as StreamEntry;

test('a hold lasts until its release, its discard or the drop of the dataset', () => {
  const held = foldLogState(EMPTY, entry({ kind: 'hold', import: 'i' }));
  expect(held).toMatchObject({ isHeld: true, token: 't' });
  expect(foldLogState(held, entry({ kind: 'changes', changes: [] }))).toMatchObject({ isHeld: true });
  for (const kind of ['release', 'discard', 'dropped']) {
    expect(foldLogState(held, entry({ kind, import: 'i' }))).toMatchObject({ isHeld: false });
  }
});

test('a schema entry changes the declaration', () => {
  const fields = { status: { type: 'text' } };
  const state = foldLogState(EMPTY, entry({ kind: 'schema', spec: { fields }, schema: 3 }, 'next'));
  expect(state).toEqual({ declared: { fields, generation: 3 }, token: 'next', isHeld: false });
});
