import { expect, test } from 'vitest';
import { hasRoom, spoolLimit } from '../../gateway/spool-room.js';

const MIB = 1024 ** 2;

test('the configured limit holds while the disk has more than that to spare', () => {
  expect(spoolLimit(1_000, 0, { bavail: 10, bsize: 4_096 })).toBe(1_000);
});

test('on a small disk the limit is a part of the free space and of the bytes that the spool has itself', () => {
  expect(spoolLimit(1_000, 200, { bavail: 3, bsize: 100 })).toBe(400);
  expect(spoolLimit(1_000, 0, { bavail: 0, bsize: 100 })).toBe(0);
});

test('written and waiting bytes count against the limit, up to the last byte', () => {
  const room = { used: 600, limit: 1_000 };
  expect(hasRoom(room, 300, 100)).toBe(true);
  expect(hasRoom(room, 300, 101)).toBe(false);
});

test('no more than 64 MiB wait in memory, however large the limit is', () => {
  const room = { used: 0, limit: Infinity };
  expect(hasRoom(room, 63 * MIB, MIB)).toBe(true);
  expect(hasRoom(room, 63 * MIB, MIB + 1)).toBe(false);
});
