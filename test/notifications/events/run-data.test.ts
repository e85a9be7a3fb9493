import { expect, test } from 'vitest';
import { runData, runTypes, transitionOf } from '../../../notifications/events/run-data.js';
import { RUN_STATES, type RunState, type RunStatus } from '../../../platform/kinds/run-status.js';
import { REASONS } from '../../../platform/kinds/reasons.js';
import type { Resource } from '../../../platform/kinds/resource.js';
import { AT, problemsOf, resource } from './writes.js';

const run = (status: Partial<RunStatus>) =>
  resource('ModelTraining', { state: 'running', transitions: [], ...status }) as Resource<object, RunStatus>;

/** The last word of the type for each pair of states; `-`: no event. */
// prettier-ignore
const WORDS: Record<RunState, readonly string[]> = {
  // to:        unknown scheduling running    succeeded    failed
  unknown:    ['-',     '-',       'started', 'succeeded', 'failed'],
  scheduling: ['-',     '-',       'started', 'succeeded', 'failed'],
  running:    ['-',     '-',       '-',       'succeeded', 'failed'],
  succeeded:  ['-',     '-',       'started', '-',         'failed'],
  failed:     ['-',     '-',       'started', 'succeeded', '-'],
};

test.each(RUN_STATES.flatMap((from) => RUN_STATES.map((to, index) => [from, to, WORDS[from][index]] as const)))(
  'a run that goes from %s to %s: %s',
  (from, to, word) => {
    expect(transitionOf(run({ state: from }), run({ state: to })) ?? '-').toBe(word);
  },
);

test.each(Object.keys(REASONS))('a failure for the reason %s is a cancel or a failure', (reason) => {
  const status = { state: 'failed', reason: reason as keyof typeof REASONS } as const;
  expect(transitionOf(run({}), run(status))).toBe(reason === 'Cancelled' ? 'cancelled' : 'failed');
  const data = { ...runData(run(status)), version: 1 };
  expect(problemsOf('pipeline.training.failed', JSON.parse(JSON.stringify(data)))).toEqual([]);
});

test('a resource that is gone has no transition', () => {
  expect(transitionOf(run({}), undefined)).toBeUndefined();
  expect(transitionOf(undefined, undefined)).toBeUndefined();
});

test('each word of a transition is a declared type', () => {
  const words = new Set(Object.values(WORDS).flat());
  expect([...words, 'cancelled'].filter((word) => word !== '-').sort()).toEqual(Object.keys(runTypes('run')).sort());
});

test.each([
  [undefined, undefined],
  ['', ''],
  ['x'.repeat(4_000), 'x'.repeat(4_000)],
  ['x'.repeat(4_001), 'x'.repeat(4_000)],
  [`${'x'.repeat(3_998)}🍷`, `${'x'.repeat(3_998)}🍷`],
  // The limit would cut this character in two halves, which are no text.
  [`${'x'.repeat(3_999)}🍷`, 'x'.repeat(3_999)],
])('a message is kept up to its limit, and whole characters of it (%#)', (message, expected) => {
  const data = runData(run({ state: 'failed', ...(message !== undefined && { message }) }));
  expect(data.message).toBe(expected);
});

test('the data of a run name its creator and its times, and no member of the status beside them', () => {
  const status = {
    state: 'failed',
    startedAt: AT,
    podName: 'pod',
    workflowId: 'w',
    step: 'push',
    exitCode: 1,
  } as const;
  expect(Object.keys(JSON.parse(JSON.stringify(runData(run(status)))))).toEqual([
    ...['kind', 'id', 'generation', 'state', 'started_at', 'created_by'],
  ]);
});
