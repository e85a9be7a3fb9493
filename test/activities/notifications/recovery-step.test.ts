import { expect, test } from 'vitest';
import { countStep, type RecoveryCandidate, recoveryStepOf } from '../../../activities/notifications/recovery-step.js';
import type { Recovery } from '../../../notifications/kinds/recovery.js';

const recovery = (kind: Recovery['kind'], dry_run = false) =>
  ({ kind, spec: { dry_run } }) as Pick<Recovery, 'kind' | 'spec'>;
const candidate = (state: 'failed' | 'delivered' | 'pending', reopenings: object[] = []) =>
  ({ facts: { reopenings }, delivery: { state } }) as unknown as RecoveryCandidate;

test.each([
  ['recover', 'failed', { kind: 'reopen', episode: 1 }],
  ['recover', 'delivered', { kind: 'skip' }],
  ['replay', 'delivered', { kind: 'reopen', episode: 1 }],
  ['replay', 'pending', { kind: 'match' }],
] as const)('a %s of a %s delivery', (kind, state, step) => {
  expect(recoveryStepOf(candidate(state), recovery(kind), 1)).toEqual(step);
});

test('a dry run reopens nothing, and a delivery that this recovery reopened before is only counted', () => {
  expect(recoveryStepOf(candidate('failed'), recovery('recover', true), 1)).toEqual({ kind: 'match' });
  const again = candidate('pending', [{ episode: 3, order: 1 }]);
  expect(recoveryStepOf(again, recovery('recover'), 1)).toEqual({ kind: 'reopened', episode: 3 });
  expect(recoveryStepOf(again, recovery('replay'), 2)).toEqual({ kind: 'match' });
});

test('matches and reopened deliveries are counted', () => {
  const at = { number: 1, next: 1, examined: 0, matched: 0, reopened: 0, done: false };
  expect(countStep(at, { kind: 'skip' })).toEqual(at);
  expect(countStep(at, { kind: 'match' })).toMatchObject({ matched: 1, reopened: 0 });
  expect(countStep(at, { kind: 'reopen', episode: 1 })).toMatchObject({ matched: 1, reopened: 1 });
});
