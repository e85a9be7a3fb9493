import { expect, test } from 'vitest';
import { createTriggerActivities, type TriggerDeps } from '../../../activities/pipeline/trigger-checks.js';
import type { PipelineRun } from '../../../lifecycle/kinds/pipeline-run.js';
import type { Pipeline } from '../../../lifecycle/kinds/pipeline.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { newAttempt } from '../shared/environment.js';
import { newPipeline } from '../shared/resources.js';

const TRIGGERED = ['a', 'b', 'c'].map((id) => newPipeline(id, { triggers: { data: true } }));
/** Has no trigger to look at. */
const SCHEDULED = newPipeline('d', { triggers: { schedule: { cron: '0 6 * * *' } } });

function check(triggers: (pipeline: Pipeline) => Promise<PipelineRun | undefined>, options?: TriggerDeps['options']) {
  const started: string[] = [];
  const activities = createTriggerActivities({
    pipelines: { list: async () => [...TRIGGERED, SCHEDULED] },
    triggers: { check: triggers },
    runs: { changed: async (kind, { id }) => void started.push(`${kind}/${id}`) },
    ...(options && { options }),
  });
  return newAttempt()
    .run(() => activities.checkTriggers())
    .then((result) => ({ result, started }));
}
/** As much of a run as its start needs. */
const runOf = ({ id }: Pipeline) => ({ id: `${id}-1`, uid: 'u', generation: 1 }) as PipelineRun;

test.each([
  ['a store that does not answer', new SlipwayError('unavailable', 'away')],
  ['a defect', new TypeError('undefined is not a function')],
])('a pipeline whose triggers meet %s keeps no other from its run', async (_, broken) => {
  const { result, started } = await check(async (pipeline) => {
    if (pipeline.id === 'a') throw broken;
    return runOf(pipeline);
  });
  expect(started).toEqual(['pipeline/b-1', 'pipeline/c-1']);
  expect(result).toMatchObject({
    done: { runs_started: 2, skipped: 1 },
    skipped: [expect.stringContaining('pipeline a: ')],
  });
});

test('a bucket that hangs keeps no other pipeline from its run', async () => {
  const triggers = (pipeline: Pipeline) =>
    pipeline.id === 'a' ? new Promise<undefined>(() => {}) : Promise.resolve(runOf(pipeline));
  const { started } = await check(triggers, { itemMs: 10 });
  expect(started).toEqual(['pipeline/b-1', 'pipeline/c-1']);
});

test('a pipeline that was removed meanwhile, or has a run by now, is no failure', async () => {
  const { result, started } = await check(async ({ id }) => {
    if (id === 'c') return undefined;
    throw new SlipwayError(id === 'a' ? 'not_found' : 'not_finished', id);
  });
  expect([started, result]).toEqual([[], { done: {}, skipped: [] }]);
});

test('a run that a quota refuses is counted in the result', async () => {
  const { result, started } = await check(async (pipeline) => {
    if (pipeline.id === 'b') throw new SlipwayError('quota_exceeded', 'full');
    return runOf(pipeline);
  });
  expect(started).toEqual(['pipeline/a-1', 'pipeline/c-1']);
  expect(result).toMatchObject({ done: { runs_started: 2, runs_refused: 1 }, skipped: [] });
});
