import { expect, test } from 'vitest';
import { identify, startOf } from '../../stack/process-identity.js';

const statOf = (state: string) =>
  `4711 (node ) S 1) ${state} 1 4711 4711 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 2337323 0 0`;

test('a living process is known by its start time, whatever its name holds', () => {
  expect(startOf(statOf('S'))).toBe('2337323');
});

test.each(['Z', 'X', 'x'])('a process in state %s has ended', (state) => {
  expect(startOf(statOf(state))).toBeUndefined();
});

test('a process keeps its identity; no process has none', async () => {
  expect(await identify(process.pid)).toMatch(/.+/);
  expect(await identify(process.pid)).toBe(await identify(process.pid));
  expect(await identify(2 ** 30)).toBeUndefined();
});
