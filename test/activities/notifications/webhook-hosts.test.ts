import { expect, test } from 'vitest';
import { createWebhookHosts, HOST_LIMITS, type HostSeat } from '../../../activities/notifications/webhook-hosts.js';
import type { AttemptEnd } from '../../../notifications/kinds/attempt.js';

const NOW = Date.parse('2026-01-01T00:00:00.000Z');
const HOST = 'https://a.example/hook';

/** Seats at the hosts of one process, by their urls; `woken` lists the seats that were woken. */
function open(limits = {}, ...urls: string[]) {
  const hosts = createWebhookHosts({ ...HOST_LIMITS, ...limits });
  const woken: number[] = [];
  const seats = urls.map((url, n) => hosts.seat({ url: new URL(url), now: NOW, wake: () => void woken.push(n) }));
  return { hosts, woken, seats: seats as [HostSeat, HostSeat, HostSeat] };
}
const endAt = (at: number, end: Partial<AttemptEnd>): AttemptEnd => ({
  outcome: 'not_sent',
  at: new Date(at).toISOString(),
  ...end,
});
const UNREACHABLE = { bytesLeft: false, unreachable: true, error: 'connect ECONNREFUSED' } as const;

/** Starts as many attempts as a seat may, and ends each at once. */
function attempt(seat: HostSeat, at: number, end: Partial<AttemptEnd>, most = Infinity): number {
  let starts = 0;
  for (; starts < most && seat.mayStart(at); starts += 1) {
    seat.started(at);
    seat.ended(endAt(at, end));
    seat.finished(at);
  }
  return starts;
}

test('subscriptions share the limits of scheme, host and port, whatever the path', () => {
  const { seats } = open({ concurrency: 1 }, HOST, 'https://a.example:443/other', 'https://a.example:8443/hook');
  const [first, samePort, otherPort] = seats;
  expect(first.mayStart(NOW)).toBe(true);
  first.started(NOW);
  expect([samePort.mayStart(NOW), otherPort.mayStart(NOW)]).toEqual([false, true]);
});

test('no more attempts start within any second than the limit, of all subscriptions together', () => {
  const { seats } = open({ perSecond: 3 }, HOST, HOST);
  expect(attempt(seats[0], NOW, { status: 200 }, 2)).toBe(2);
  expect(attempt(seats[1], NOW + 500, { status: 200 })).toBe(1);
  expect(attempt(seats[0], NOW + 999, { status: 200 })).toBe(0);
  expect(seats[0].nextAt(NOW + 999)).toBe(NOW + 1_000);
  expect(attempt(seats[0], NOW + 1_000, { status: 200 })).toBe(2);
});

test('a place that gets free wakes the subscription whose turn it is', () => {
  const { seats, woken } = open({ concurrency: 1 }, HOST, HOST, HOST);
  const [first, second, third] = seats;
  first.mayStart(NOW);
  first.started(NOW);
  for (const each of [second, third]) expect(each.mayStart(NOW)).toBe(false);
  first.finished(NOW);
  expect(woken).toEqual([1]);
  expect([third.mayStart(NOW), second.mayStart(NOW)]).toEqual([false, true]);
});

test('when connections of several subscriptions fail, the others wait for one probe and go on after it', () => {
  const { seats, woken } = open({}, HOST, HOST, HOST);
  const [first, second, third] = seats;
  expect(attempt(first, NOW, UNREACHABLE, 6) + attempt(second, NOW, UNREACHABLE)).toBe(10);
  expect(attempt(third, NOW + 29_999, UNREACHABLE)).toBe(0);
  expect(third.nextAt(NOW + 29_999)).toBe(NOW + 30_000);

  expect(third.mayStart(NOW + 30_000)).toBe(true);
  third.started(NOW + 30_000);
  expect([first, second].map((each) => each.mayStart(NOW + 30_001))).toEqual([false, false]);
  third.ended(endAt(NOW + 30_002, { outcome: 'refused', status: 503 }));
  third.finished(NOW + 30_002);
  expect(woken).toEqual([0, 1]);
  expect([first, second].map((each) => each.mayStart(NOW + 30_002))).toEqual([true, true]);
});

test.each([
  ['a response of any status', { outcome: 'refused', status: 500 }],
  ['a request without a response', { outcome: 'ambiguous', bytesLeft: true, error: 'no response' }],
  ['a request that could not be built', { bytesLeft: false, error: 'the request could not be built' }],
] as const)('%s never closes the host', (_, end) => {
  const { seats } = open({}, HOST, HOST);
  expect(attempt(seats[0], NOW, end, 50)).toBe(50);
  expect([seats[1].mayStart(NOW), seats[1].outageSince(endAt(NOW, end))]).toEqual([true, undefined]);
});

test('the attempt that closes the host and those while it is closed are part of the outage', () => {
  const { seats } = open({}, HOST, HOST);
  attempt(seats[0], NOW, UNREACHABLE, 8);
  expect(seats[1].outageSince(endAt(NOW, UNREACHABLE))).toBeUndefined();
  attempt(seats[0], NOW, UNREACHABLE, 1);
  expect(seats[1].outageSince(endAt(NOW, UNREACHABLE))).toBe(NOW);
  expect(seats[1].outageSince(endAt(NOW, { outcome: 'confirmed', status: 200 }))).toBeUndefined();
});

test('an outage is reported to subscriptions with deliveries that wait, and to no others', () => {
  const { seats } = open({}, HOST, HOST, HOST);
  const [first, second, third] = seats;
  attempt(first, NOW, UNREACHABLE);
  second.rest(NOW, { isPending: true });
  third.rest(NOW, { isPending: false });
  const reason = { lastFailure: { at: new Date(NOW).toISOString(), reason: 'connect ECONNREFUSED' } };
  expect([first.outage, second.outage]).toMatchObject([reason, reason]);
  expect(third.outage).toBeUndefined();
});

test('another process starts with the outage that was saved, and forgets it after the first connection', () => {
  const first = open({}, HOST).seats[0];
  attempt(first, NOW, UNREACHABLE);
  const known = JSON.parse(JSON.stringify(first.outage));
  const { hosts } = open();
  const seat = () => hosts.seat({ url: new URL(HOST), now: NOW, wake: () => {}, known });
  const early = seat();
  expect([early.mayStart(NOW + 29_999), early.outage]).toEqual([false, known]);
  early.leave(NOW + 29_999);
  expect(seat().hasGivenUp(NOW + 5 * 86_400_000)).toBe(true);
  expect(attempt(seat(), NOW + 30_000, { status: 200 }, 2)).toBe(2);
  expect([seat().outage, seat().mayStart(NOW + 30_000)]).toEqual([undefined, true]);
});

test('of very many hosts those without use are forgotten, and none with an attempt under way', () => {
  const { hosts, seats } = open({ concurrency: 1 }, 'https://busy.example', 'https://down.example');
  const [busy, down] = seats;
  busy.mayStart(NOW);
  busy.started(NOW);
  attempt(down, NOW, UNREACHABLE);
  const later = NOW + 2 * 3_600_000;
  const seat = (url: string) => hosts.seat({ url: new URL(url), now: later, wake: () => {} });
  for (let n = 0; n < 1_000; n += 1) seat(`https://h${n}.example`);
  expect(attempt(seat('https://down.example'), NOW, UNREACHABLE)).toBe(10);
  expect(seat('https://busy.example').mayStart(later)).toBe(false);
});
