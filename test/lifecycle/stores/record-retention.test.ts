import { expect, test } from 'vitest';
import { createRecordRetention, RETENTION_DAYS } from '../../../lifecycle/stores/record-retention.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';

const now = () => new Date('2026-03-31T12:00:00Z');
const FOLDER = 'feedback/wine/1';
const hour = (day: string, at = '11') => {
  const [year, month, date] = day.split('-');
  return `${FOLDER}/year=${year}/month=${month}/day=${date}/${year}${month}${date}${at}_0.json`;
};

async function remaining(defaultDays: number | undefined, files: Record<string, string | undefined>) {
  const objects = createMemoryObjects();
  for (const [key, days] of Object.entries(files)) {
    await objects.put(key, '{}', { metadata: days === undefined ? {} : { [RETENTION_DAYS]: days } });
  }
  const removed = await createRecordRetention({ objects, defaultDays, now }).purge('feedback');
  const left: string[] = [];
  for await (const { key } of objects.list('')) left.push(key);
  return { removed, left };
}

test('a file goes when the days of its deployment have passed since its hour', async () => {
  const due = hour('2026-03-29');
  const kept = [hour('2026-03-30', '12'), hour('2025-01-01', '00')];
  const files = { [due]: '2', [kept[0] ?? '']: '1', [kept[1] ?? '']: undefined };
  expect(await remaining(undefined, files)).toEqual({ removed: 1, left: kept.toSorted() });
});

test('the setting counts where a deployment says nothing', async () => {
  const files = { [hour('2026-03-01')]: undefined, [hour('2026-03-02')]: '90', [hour('2026-03-30')]: undefined };
  const { left } = await remaining(7, files);
  expect(left).toEqual([hour('2026-03-02'), hour('2026-03-30')]);
});

test('files of other forms, and of other trees, stay', async () => {
  const others = [`${FOLDER}/notes.txt`, 'artifacts/wine/2020010100_0.json'];
  const { left } = await remaining(1, Object.fromEntries(others.map((key) => [key, '1'])));
  expect(left.toSorted()).toEqual(others.toSorted());
});

test('one call removes a bounded number', async () => {
  const objects = createMemoryObjects();
  const folder = `${FOLDER}/year=2026/month=01/day=01`;
  for (let n = 0; n < 2_100; n += 1) await objects.put(`${folder}/2026010100_${n}.json`, '{}');
  const retention = createRecordRetention({ objects, defaultDays: 1, now });
  const purge = () => retention.purge('feedback');
  expect([await purge(), await purge(), await purge()]).toEqual([2_000, 100, 0]);
});
