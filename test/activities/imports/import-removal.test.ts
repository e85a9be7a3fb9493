import { expect, test } from 'vitest';
import { absentFrom } from '../../../activities/imports/import-removal.js';
import { createIdList } from '../../../reference/rows/id-list.js';
import { createRowStore } from '../../../reference/rows/row-store.js';

test('an entity is absent when it exists and the upload does not name it', () => {
  const rows = createRowStore();
  const add = (id: bigint, version: number, deleted = false) =>
    rows.add({ id, version, from: version, bytes: Buffer.from('{}'), deleted });
  for (const id of [1n, 2n, 3n, 4n]) add(id, 1);
  add(2n, 2);
  add(3n, 2, true);
  const named = createIdList();
  named.add(1n);
  named.add(9n);
  expect(absentFrom({ rows }, named)).toEqual([4n, 2n]);
});
