import { existsSync } from 'node:fs';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { STEADY_HEAP } from '../../../workers/compose/heap-growth.js';
import { entryPoint, PROCESSES } from '../../../workers/compose/supervisor.js';

test.each(PROCESSES)('the program of the %s exists, and only the API has the flags of its heap', async (name) => {
  const words = await entryPoint(name);
  expect(existsSync(words.at(-1) ?? '')).toBe(true);
  expect(STEADY_HEAP.filter((flag) => words.includes(flag))).toEqual(name === 'api' ? STEADY_HEAP : []);
});

test('this Node.js knows the flags of the heap', async () => {
  const { exitCode, stderr } = await execa(process.execPath, [...STEADY_HEAP, '-e', ''], { reject: false });
  expect([exitCode, stderr]).toEqual([0, '']);
});
