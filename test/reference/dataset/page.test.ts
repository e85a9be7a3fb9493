import { expect, test } from 'vitest';
import { createDatasetIndex } from '../../../reference/dataset/dataset-index.js';
import { parseOrder } from '../../../reference/dataset/order.js';
import { createPages } from '../../../reference/dataset/page.js';
import { createRowStore } from '../../../reference/rows/row-store.js';
import { leavesOf } from '../../../reference/dataset/dataset-leaves.js';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';

const AT = '2026-01-01T00:00:00.000Z';
const spec = DatasetSpec.parse({ fields: { name: { type: 'text' }, size: { type: 'integer' } } });
const target = { dataset: 'places', leaves: leavesOf(spec) };

test('texts are sorted once many rows are ordered by them, and pages go on in the same order', async () => {
  const rows = createRowStore();
  const count = 50_000;
  const names = Array.from({ length: count }, (_, at) => `Place ${(at * 7_919) % count}`);
  for (const [at, name] of names.entries()) {
    const text = JSON.stringify({ id: String(at + 1), name, size: at, version: 1, created_at: AT, updated_at: AT });
    rows.add({ id: BigInt(at + 1), version: 1, from: 1, bytes: Buffer.from(text), deleted: false });
  }
  const dataset = createDatasetIndex(rows);
  await dataset.build({ spec, generation: 1, position: 1, at: AT, actor: 'test' });
  const index = dataset.built;
  if (index === undefined) throw new Error('it is not built');
  const sorted = [...names.keys()].sort((one, other) => ((names[one] ?? '') < (names[other] ?? '') ? -1 : 1));
  const pages = createPages(rows);
  const page = async (order: string, after?: bigint) =>
    pages.page({ index, version: 1, order: parseOrder(order, target), size: 3, after });

  await page('size');
  const before = index.columns.sizeBytes();
  expect(await page('name')).toMatchObject({ rows: sorted.slice(0, 3), total: count });
  const deadline = performance.now() + 60_000;
  while (index.columns.sizeBytes() < before + count * 8 && performance.now() < deadline)
    await new Promise(setImmediate);
  expect(index.columns.sizeBytes()).toBe(before + count * 8);
  expect(await page('name', BigInt((sorted[2] ?? 0) + 1))).toMatchObject({ rows: sorted.slice(3, 6), hasMore: true });
  expect(await page('name desc')).toMatchObject({ rows: sorted.slice(-3).reverse() });
});
