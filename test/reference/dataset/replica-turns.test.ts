import { expect, test } from 'vitest';
import { createReplica } from '../../../reference/dataset/replica.js';
import type { LogContent, LogEntry } from '../../../reference/dataset/change.js';
import { accepts, change, changes, declare, fold, place, TIME } from './replica-scene.js';

test.each(['release', 'discard'] as const)(
  'the %s of a large hold gives requests their turn, and no request sees a part of it',
  async (kind) => {
    const count = 20_000;
    const ids = Array.from({ length: count }, (_, n) => String(n + 1));
    const [first, last] = [BigInt(1), BigInt(count)];
    const held: LogContent[] = [
      declare(1),
      changes(change('1', 1, 'before')),
      { kind: 'hold', import: 'i' },
      changes(...ids.map((id) => change(id, id === '1' ? 2 : 1, 'new'))),
    ];
    const replica = fold(held);
    const entry = { kind, import: 'i', position: 5, at: TIME, token: 'r' } as const;
    const seen = (id: bigint) => {
      const row = replica.rows.findAt(id, replica.visible);
      return row < 0 || replica.rows.isDeleted(row) ? undefined : JSON.parse(replica.rows.bytes(row).toString()).word;
    };
    let done = false;
    const preparing = replica.prepare(entry)?.then(() => (done = true));
    let turns = 0;
    for (; !done; turns += 1) {
      expect([seen(first), seen(last), replica.newest, replica.heldBy]).toEqual(['before', undefined, 2, 'i']);
      expect(replica.latest('1')?.version).toBe(2);
      await new Promise((next) => setImmediate(next));
    }
    await preparing;
    expect(turns).toBeGreaterThanOrEqual(count / 500);
    replica.apply(entry);
    expect([seen(first), seen(last)]).toEqual(kind === 'release' ? ['new', 'new'] : ['before', undefined]);
    expect([replica.newest, replica.heldBy, replica.rows.entities()]).toEqual([5, undefined, count]);
  },
);

test.each(['dropped', 'schema'] as const)(
  'what %s does to every row gives requests their turn, and nothing of it is seen before the end',
  async (kind) => {
    const count = 20_000;
    const prepared: number[] = [];
    const replica = createReplica({ accepts, rewrite: (_, text) => text.replace('"old', '"new') });
    const ids = Array.from({ length: count }, (_, n) => String(n + 1));
    const first = [declare(1), changes(...ids.map((id) => change(id, 1, `old${id}`)))];
    for (const entry of place(first)) replica.apply(entry);
    replica.watch({
      added: () => {},
      forgotten: () => {},
      prepare: async ({ generation }) => void prepared.push(generation, replica.rows.end()),
      declared: () => {},
    });
    const content = kind === 'dropped' ? ({ kind, actor: 't' } as const) : { ...declare(2), rewrite: true };
    const entry: LogEntry = { ...content, position: 3, at: TIME, token: 'r' };
    const seen = (id: string) => {
      const row = replica.rows.findAt(BigInt(id), replica.visible);
      return replica.rows.isDeleted(row) ? null : JSON.parse(replica.rows.bytes(row).toString()).word;
    };
    let done = false;
    const preparing = replica.prepare(entry)?.then(() => (done = true));
    let turns = 0;
    for (; !done; turns += 1) {
      expect([seen('1'), seen(String(count)), replica.newest]).toEqual(['old1', `old${count}`, 2]);
      expect(replica.declaration?.generation).toBe(1);
      await new Promise((next) => setImmediate(next));
    }
    await preparing;
    expect(turns).toBeGreaterThanOrEqual(count / 500);
    // The new index is made of all rows before any of them counts.
    expect(prepared).toEqual(kind === 'dropped' ? [] : [2, 2 * count]);
    replica.apply(entry);
    expect([seen('1'), seen(String(count))]).toEqual(kind === 'dropped' ? [null, null] : ['new1', `new${count}`]);
    expect([replica.newest, replica.declaration?.generation]).toEqual([3, kind === 'dropped' ? undefined : 2]);
    expect(replica.rows.end()).toBe(2 * count); // none of it was done twice
  },
);
