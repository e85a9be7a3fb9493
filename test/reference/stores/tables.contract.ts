import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database, Row } from '../../../platform/stores/database.js';

interface Thing extends Row {
  name: string;
  size: number;
  held: { 'a.b': string } | null;
}

/** The contract of every database for its tables, beyond the needs of single stores. */
export function tablesContract(open: () => Promise<Database>): void {
  let database: Database;
  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.close());

  test('members of every row, without the others', async () => {
    const table = database.table<Thing>('Endpoint');
    for await (const row of table.members(['size'])) throw new Error(row._id);
    const ids = Array.from({ length: 250 }, (_, n) => `thing-${String(n).padStart(3, '0')}`);
    await table.insertAll(ids.map((_id, size) => ({ _id, name: 'x'.repeat(100), size, held: { 'a.b': _id } })));
    await table.put({ _id: 'thing-007', name: '', size: 7, held: null });
    const found: Pick<Thing, '_id' | 'size' | 'held'>[] = [];
    for await (const row of table.members(['size', 'held'])) found.push(row);
    found.sort((one, other) => one.size - other.size);
    expect(found).toEqual(ids.map((_id, size) => ({ _id, size, held: size === 7 ? null : { 'a.b': _id } })));
  });
}
