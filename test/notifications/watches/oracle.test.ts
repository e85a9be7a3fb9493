import { expect, test } from 'vitest';
import { compareTraces } from './compare.js';
import { seeded } from './traces.js';

test.each([
  ['in one go', {}, 5_000],
  ['saved and read again behind every step', { restarts: true }, 1_000],
])('random traces of entities emit the events of the table, %s', (_, options, traces) => {
  const { notices, difference } = compareTraces(seeded(20_260_211), traces, options);
  expect(difference).toBeUndefined();
  expect(notices).toBeGreaterThan(traces); // the traces are about something
});
