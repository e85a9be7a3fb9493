import { expect, onTestFinished, test, vi } from 'vitest';
import { createPace, type Rank } from '../../../activities/notifications/pace.js';

const SIGNAL = new AbortController().signal;

function open(atOnce = 0) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const process = { busy: 0 };
  const clock = Date.now;
  const pace = createPace({ start: () => {}, busy: () => process.busy }, clock, atOnce);
  const begun: string[] = [];
  return {
    ...{ process, begun },
    ask: (name: string, rank: Rank = 'waiting', signal = SIGNAL) =>
      void pace.turn({ rank, signal }).then(() => begun.push(name)),
    pass: (ms: number) => vi.advanceTimersByTimeAsync(ms),
  };
}

test('the first begins at once, the others one after another', async () => {
  const { ask, pass, begun } = open();
  for (const name of ['first', 'second', 'third']) ask(name);
  await pass(0);
  expect(begun).toEqual(['first']);
  await pass(10);
  expect(begun).toEqual(['first', 'second']);
  await pass(10);
  expect(begun).toEqual(['first', 'second', 'third']);
});

test('while the process is busy the next one waits, but not for ever', async () => {
  const { ask, pass, begun, process } = open();
  process.busy = 0.9;
  for (const name of ['first', 'second', 'third']) ask(name);
  await pass(190);
  expect(begun).toEqual(['first']);
  await pass(10);
  expect(begun).toEqual(['first', 'second']);
  process.busy = 0.1;
  await pass(10);
  expect(begun).toEqual(['first', 'second', 'third']);
});

test('those that deliver begin first, then drains that have a place, then others', async () => {
  const { ask, pass, begun } = open();
  for (const name of ['first', 'second']) ask(name);
  ask('started', 'started');
  ask('delivering', 'delivering');
  await pass(30);
  expect(begun).toEqual(['first', 'delivering', 'started', 'second']);
});

test('those that deliver begin however busy the process is', async () => {
  const { ask, pass, begun, process } = open();
  process.busy = 0.9;
  for (const name of ['first', 'second']) ask(name);
  ask('started', 'started');
  for (const name of ['delivering', 'delivering too']) ask(name, 'delivering');
  await pass(100);
  expect(begun).toEqual(['first', 'delivering', 'delivering too']);
});

test('one that is cancelled waits no longer, and takes no turn', async () => {
  const { ask, pass, begun, process } = open();
  const stop = new AbortController();
  process.busy = 1;
  ask('first');
  ask('second', 'waiting', stop.signal);
  ask('third');
  ask('late', 'waiting', AbortSignal.abort());
  stop.abort();
  await pass(0);
  expect(begun).toEqual(expect.arrayContaining(['first', 'second', 'late']));
  expect(begun).not.toContain('third');
  await pass(200);
  expect(begun).toContain('third');
});

test('when all that wait are cancelled, no timer keeps the process alive', async () => {
  const { ask, pass, begun, process } = open();
  const stop = new AbortController();
  process.busy = 1;
  ask('first');
  for (let n = 0; n < 100; n += 1) ask(`waiting ${n}`, 'waiting', stop.signal);
  stop.abort();
  await pass(10);
  expect(begun).toHaveLength(101);
  expect(vi.getTimerCount()).toBe(0);
});

test('the timer ends with the last one, and begins again with the next', async () => {
  const { ask, pass, begun } = open();
  ask('first');
  await pass(30);
  expect(vi.getTimerCount()).toBe(0);
  ask('second');
  await pass(0);
  expect(begun).toEqual(['first', 'second']);
});

test('a few begin at once, and again after a rest; while others wait, none passes them', async () => {
  const { ask, pass, begun, process } = open(2);
  process.busy = 1;
  for (const name of ['1', '2', '3', '4', '5']) ask(name);
  await pass(0);
  expect(begun).toEqual(['1', '2', '3']); // two at once, and the first that waits
  await pass(190);
  ask('6');
  await pass(0);
  expect(begun).toHaveLength(3);
  process.busy = 0;
  await pass(60);
  expect(begun).toEqual(['1', '2', '3', '4', '5', '6']);
  process.busy = 1;
  await pass(100);
  for (const name of ['7', '8', '9']) ask(name);
  await pass(0);
  expect(begun).toHaveLength(7); // one at once
});
