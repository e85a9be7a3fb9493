import { expect, test } from 'vitest';
import fc from 'fast-check';
import {
  acknowledge,
  acknowledgedThrough,
  type ConsumerPosition,
  addPending,
  MOST_PENDING,
  nextSpan,
  pendingIn,
} from '../../../notifications/kinds/feed-consumer.js';

const NEW: ConsumerPosition = { handedOut: 0, pending: [] };
const at = (second: number): string => new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString();

test('without a visibility time what is not acknowledged comes again, in order, with what follows it', () => {
  const wish = { head: 10, limit: 4, now: at(0) };
  expect(nextSpan(NEW, wish)).toEqual({ from: 1, to: 4 });
  const place = addPending(NEW, { from: 1, to: 4 }, null);
  expect(nextSpan(place, wish)).toEqual({ from: 1, to: 4 });
  const acknowledged = acknowledge(place, { from: 1, to: 2 });
  expect(acknowledgedThrough(acknowledged)).toBe(2);
  expect(nextSpan(acknowledged, wish)).toEqual({ from: 3, to: 6 });
});

test('with one it goes to others until its time ends; the acknowledged part has no hole', () => {
  const one = addPending(NEW, { from: 1, to: 4 }, at(30));
  expect(nextSpan(one, { head: 10, limit: 4, now: at(0) })).toEqual({ from: 5, to: 8 });
  const both = addPending(one, { from: 5, to: 8 }, at(31));
  const second = acknowledge(both, { from: 5, to: 8 });
  expect([acknowledgedThrough(second), second.handedOut]).toEqual([0, 8]);
  expect(pendingIn(second, { from: 1, to: 8 })).toEqual([{ from: 1, to: 4 }]);
  expect(nextSpan(second, { head: 8, limit: 4, now: at(29) })).toBeUndefined();
  expect(nextSpan(second, { head: 10, limit: 4, now: at(30) })).toEqual({ from: 1, to: 4 });
  expect(acknowledgedThrough(acknowledge(second, { from: 1, to: 4 }))).toBe(8);
});

test('readers that never acknowledge get no more after a while', () => {
  let place = NEW;
  for (let n = 1; n <= MOST_PENDING; n += 1) place = addPending(place, { from: n, to: n }, at(30 + n));
  expect(nextSpan(place, { head: 1_000, limit: 1, now: at(0) })).toBeUndefined();
  expect(nextSpan(place, { head: 1_000, limit: 5, now: at(31) })).toEqual({ from: 1, to: 1 });
});

test('with any steps of the readers, no two readers hold the same event, and no event is lost', () => {
  const step = fc.record({
    wait: fc.nat(20),
    limit: fc.integer({ min: 1, max: 6 }),
    visibility: fc.integer({ min: 1, max: 30 }),
    ack: fc.option(fc.nat(5), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const head = 40;
      let [place, second] = [NEW, 0];
      const until = new Map<number, number>();
      const done = new Set<number>();
      const out: { from: number; to: number }[] = [];
      for (const { wait, limit, visibility, ack } of steps) {
        second += wait;
        const span = nextSpan(place, { head, limit, now: at(second) });
        if (span !== undefined) {
          for (let n = span.from; n <= span.to; n += 1) {
            expect(done.has(n)).toBe(false);
            expect(until.get(n) ?? 0).toBeLessThanOrEqual(second);
            until.set(n, second + visibility);
          }
          place = addPending(place, span, at(second + visibility));
          out.push(span);
        }
        const given = ack === undefined ? undefined : out[ack % Math.max(1, out.length)];
        if (given === undefined) continue;
        for (let n = given.from; n <= given.to; n += 1) done.add(n);
        place = acknowledge(place, given);
      }
      const open = Array.from({ length: place.handedOut }, (_, index) => index + 1).filter((n) => !done.has(n));
      expect(pendingIn(place, { from: 1, to: head }).flatMap(({ from, to }) => range(from, to))).toEqual(open);
      expect(acknowledgedThrough(place)).toBe((open[0] ?? place.handedOut + 1) - 1);
    }),
  );
});

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);
