import { expect, test } from 'vitest';
import { isOpen } from '../../../notifications/delivery/breaker.js';
import {
  askHost,
  finishAtHost,
  type HostState,
  idleHost,
  leaveHost,
  nextAtHost,
  nextSeats,
  observeHost,
  startAtHost,
} from '../../../notifications/delivery/host-gate.js';

const LIMITS = { now: 0, concurrency: 2 };

/** Lets seats ask in turn; each start stays under way. @returns the seats that may start */
function ask(state: HostState<string>, seats: string, now = 0) {
  const granted: string[] = [];
  for (const seat of seats) {
    const asked = askHost(state, { ...LIMITS, seat, now });
    state = asked.isGranted ? startAtHost(asked.state) : asked.state;
    if (asked.isGranted) granted.push(seat);
  }
  return { state, granted: granted.join('') };
}
const afterFailures = (count: number): HostState<string> => {
  let state = idleHost<string>();
  for (let at = 0; at < count; at += 1) state = observeHost(state, { at, isConnected: false });
  return state;
};

test('a host has room for its limit, whichever seats take it', () => {
  expect(ask(idleHost(), 'aab').granted).toBe('aa');
  expect(ask(idleHost(), 'abc').granted).toBe('ab');
});

test('a place that is free again goes to the seat that waits the longest, not to the one that held it', () => {
  const full = ask(idleHost(), 'aabca').state;
  const free = finishAtHost(full);
  expect(nextSeats(free, LIMITS)).toEqual(['b']);
  const { state, granted } = ask(free, 'acb');
  expect(granted).toBe('b');
  expect(nextSeats(finishAtHost(state), LIMITS)).toEqual(['c']);
});

test('a seat that asks again keeps its turn', () => {
  const full = ask(idleHost(), 'aabcbb').state;
  expect(full.waiting.map(({ seat }) => seat)).toEqual(['b', 'c']);
});

test('a seat that does not ask again, or leaves, holds up no other', () => {
  const free = finishAtHost(ask(idleHost(), 'aab').state);
  expect(ask(free, 'c', 4_999).granted).toBe('');
  expect(ask(free, 'c', 5_000).granted).toBe('c');
  expect(ask(leaveHost(free, 'b'), 'c').granted).toBe('c');
});

test('ten failed connections in a row close the host to all seats, and then one probe tells whether it is back', () => {
  expect(isOpen(afterFailures(9).breaker)).toBe(false);
  const open = afterFailures(10);
  const retryAt = open.breaker.retryAt ?? 0;
  expect(ask(open, 'abc', retryAt - 1).granted).toBe('');
  const probing = ask(open, 'abc', retryAt);
  expect(probing.granted).toBe('a');

  const failed = finishAtHost(observeHost(probing.state, { at: retryAt + 1, isConnected: false }));
  expect(ask(failed, 'abc', retryAt + 1).granted).toBe('');
  expect(nextAtHost(failed, { ...LIMITS, seat: 'b', now: retryAt + 1 })).toBe(retryAt + 1 + 60_000);

  const back = finishAtHost(observeHost(probing.state, { at: retryAt + 1, isConnected: true }));
  expect(nextSeats(back, { ...LIMITS, now: retryAt + 1 })).toEqual(['b', 'c']);
  expect(ask(back, 'bc', retryAt + 1).granted).toBe('bc');
});

test('a connection in between starts the row again', () => {
  let state = observeHost(afterFailures(9), { at: 9, isConnected: true });
  state = observeHost(state, { at: 10, isConnected: false });
  expect(isOpen(state.breaker)).toBe(false);
});

test.each([
  ['with room', idleHost<string>(), 100, 100],
  ['while it is full, after a pause', ask(idleHost(), 'bbc', 100).state, 100, 5_100],
  ['with all places promised to others, after a pause', finishAtHost(ask(idleHost(), 'bbc', 100).state), 100, 5_100],
  ['while its breaker is open, when it may be probed', afterFailures(10), 100, 30_009],
  ['during a probe, at its latest end', startAtHost(afterFailures(10)), 40_000, 60_000],
])('a seat may start: %s', (_, state, now, at) => {
  expect(nextAtHost(state, { ...LIMITS, seat: 'a', now })).toBe(at);
});
