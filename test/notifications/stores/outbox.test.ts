import { expect, test } from 'vitest';
import type { OutboxBlock } from '../../../notifications/kinds/outbox-event.js';
import { createOutbox } from '../../../notifications/stores/outbox.js';
import type { Row, Table } from '../../../platform/stores/database.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { outboxContract } from './outbox.contract.js';

outboxContract(async () => createMemoryDatabase());

const blockOf = (about: string): OutboxBlock => ({
  ...{ block: 1, from: 1, sources: {}, at: '2026-01-01T00:00:00.000Z', token: about },
  notices: [{ sequence: 1, id: `ntc_${about}`, eventId: 'evt_1', type: 'dataset.words.updated', about, body: '{}' }],
});

test('blocks of several subscriptions that come at once share a round trip, and of two of one number one counts', async () => {
  const database = createMemoryDatabase();
  const trips: number[] = [];
  const counting = <R extends Row>(name: string): Table<R> => {
    const table = database.table<R>(name);
    return { ...table, insertAll: (rows) => (trips.push(rows.length), table.insertAll(rows)) };
  };
  const outbox = createOutbox({ database: { ...database, table: counting } });
  const ids = Array.from({ length: 20 }, (_, n) => `sub_${n}`);
  const stored = await Promise.all(ids.map((id) => outbox.insert(id, blockOf(id))));
  expect(stored.map(({ token }) => token)).toEqual(ids);
  expect(trips).toEqual([1, 19]);
  const [one, other] = await Promise.all([outbox.insert('sub', blockOf('a')), outbox.insert('sub', blockOf('b'))]);
  expect(one).toEqual(other);
});
