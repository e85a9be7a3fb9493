import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { appendFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPath, sealedPath } from '../../gateway/segment.js';
import { closeSegment, openSegment, syncSegment, writeSegment } from '../../gateway/spool-segment.js';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'slipway-segment-'));
});
afterAll(() => rm(dir, { recursive: true }));

test('the names of segments sort by time, then by number', async () => {
  const given = [
    { at: 9, number: 11 },
    { at: 9, number: 2 },
    { at: 10, number: 1 },
  ];
  const segments = await Promise.all(given.map((each) => openSegment({ dir, writer: 'w', ...each })));
  const names = segments.map(({ name }) => name);
  expect([...names].sort()).toEqual([names[1], names[0], names[2]]);
  expect(segments.map(({ since }) => since)).toEqual([9, 9, 10]);
  for (const segment of segments) await closeSegment(segment, false);
});

test('a closed segment is sealed with every byte that was written', async () => {
  const segment = await openSegment({ dir, at: 20, writer: 'w', number: 1 });
  await writeSegment(segment, Buffer.from('one'));
  await writeSegment(segment, Buffer.from('two'));
  expect(segment).toMatchObject({ bytes: 6, dirty: true });
  await syncSegment(segment);
  expect(segment.dirty).toBe(false);
  await closeSegment(segment, false);
  expect(await readFile(sealedPath(dir, segment.name), 'utf8')).toBe('onetwo');
  expect(await readdir(dir)).not.toContain(`${segment.name}.open`);
});

test('a torn batch is cut off before the segment is sealed', async () => {
  const segment = await openSegment({ dir, at: 30, writer: 'w', number: 1 });
  await writeSegment(segment, Buffer.from('whole'));
  appendFileSync(openPath(dir, segment.name), 'to');
  await closeSegment(segment, true);
  expect(await readFile(sealedPath(dir, segment.name), 'utf8')).toBe('whole');
});
