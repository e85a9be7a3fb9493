import { expect, test } from 'vitest';
import fc from 'fast-check';
import { createLanes, type Lanes, type OrderingMode } from '../../../notifications/delivery/lanes.js';

const NEVER = Infinity;
function lanesOf(mode: OrderingMode, subjects: string, maxBlockMs = NEVER): Lanes {
  const lanes = createLanes({ mode, maxBlockMs });
  [...subjects].forEach((subject, n) => lanes.add({ sequence: n + 1, subject, dueAt: 0 }));
  return lanes;
}
function takeAll(lanes: Lanes, now: number): number[] {
  const taken: number[] = [];
  for (let next = lanes.take(now); next !== undefined; next = lanes.take(now)) taken.push(next.sequence);
  return taken;
}

test('of each entity one notice is under way, the next follows when it is settled', () => {
  const lanes = lanesOf('entity', 'aabca');
  expect(takeAll(lanes, 1)).toEqual([1, 3, 4]);
  lanes.settled(1);
  lanes.settled(4);
  expect(takeAll(lanes, 1)).toEqual([2]);
  lanes.settled(2);
  expect(takeAll(lanes, 1)).toEqual([5]);
});

test('strict order is one lane, no order is none', () => {
  expect(takeAll(lanesOf('strict', 'abc'), 1)).toEqual([1]);
  expect(takeAll(lanesOf('none', 'aaa'), 1)).toEqual([1, 2, 3]);
});

test('a delivery that has to wait blocks its own lane and no other', () => {
  const lanes = lanesOf('entity', 'aab');
  expect(takeAll(lanes, 1)).toEqual([1, 3]);
  lanes.later(1, { dueAt: 500, blockedSince: 1 });
  expect(takeAll(lanes, 499)).toEqual([]);
  expect(lanes.nextAt()).toBe(500);
  expect(takeAll(lanes, 500)).toEqual([1]);
});

test('of all that are due the oldest goes first, though it came due last', () => {
  const lanes = lanesOf('none', 'abc');
  expect(lanes.take(1)?.sequence).toBe(1);
  lanes.later(1, { dueAt: 500 });
  expect(lanes.take(499)?.sequence).toBe(2);
  expect(takeAll(lanes, 500)).toEqual([1, 3]);
});

test('one that blocks its lane too long is parked: the lane goes on, and it is still tried', () => {
  const lanes = lanesOf('entity', 'aa', 1_000);
  takeAll(lanes, 5);
  lanes.later(1, { dueAt: 5_000, blockedSince: 5 });
  expect(lanes.nextAt()).toBe(1_005);
  expect(takeAll(lanes, 1_005)).toEqual([2]);
  expect(lanes.isParked(1)).toBe(true);
  expect(takeAll(lanes, 5_000)).toEqual([1]);
  lanes.settled(1);
  lanes.settled(2);
  expect(lanes.size).toBe(0);
});

test('a delivery that is held for an operator decision is never taken by itself', () => {
  const lanes = lanesOf('entity', 'aa', 1_000);
  takeAll(lanes, 5);
  lanes.later(1, { dueAt: NEVER, blockedSince: 5 });
  expect(takeAll(lanes, 1e9)).toEqual([2]);
  lanes.later(1, { dueAt: 2e9 });
  expect(takeAll(lanes, 2e9)).toEqual([1]);
});

test('in any course of events no lane has two under way, none overtakes, and in the end all are settled', () => {
  const step = fc.record({ settle: fc.boolean(), pick: fc.nat(50), wait: fc.integer({ min: 1, max: 300 }) });
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 }),
      fc.array(step, { maxLength: 80 }),
      (subjects, steps) => {
        const lanes = lanesOf('entity', subjects.join(''));
        const [underWay, settled] = [new Set<number>(), new Set<number>()];
        let now = 1;
        const look = () => {
          for (const sequence of takeAll(lanes, now)) {
            const subject = subjects[sequence - 1];
            const earlier = subjects.flatMap((each, n) => (each === subject && n + 1 < sequence ? n + 1 : []));
            if (!earlier.every((other) => settled.has(other))) throw new Error(`${sequence} overtakes`);
            underWay.add(sequence);
          }
        };
        const end = (sequence: number, settle: boolean) => {
          underWay.delete(sequence);
          if (settle) settled.add(sequence);
          if (settle) lanes.settled(sequence);
          else lanes.later(sequence, { dueAt: now + 100, blockedSince: now });
        };
        for (const { settle, pick, wait } of steps) {
          look();
          const sequence = [...underWay][pick % Math.max(1, underWay.size)];
          if (sequence !== undefined) end(sequence, settle);
          now += wait;
        }
        while (settled.size < subjects.length) {
          now = Math.max(now, Math.min(lanes.nextAt(), now + 200)) + 1;
          look();
          if (underWay.size === 0) throw new Error('nothing moves any more');
          for (const sequence of [...underWay]) end(sequence, true);
        }
        return lanes.size === 0;
      },
    ),
    { numRuns: 500 },
  );
});
