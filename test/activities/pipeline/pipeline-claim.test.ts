import { expect, test } from 'vitest';
import { planOf } from '../../../activities/pipeline/pipeline-claim.js';
import { endOfApproval } from '../../../activities/pipeline/pipeline-approval.js';
import type { PipelineRun } from '../../../lifecycle/kinds/pipeline-run.js';

const gates = { metrics: [], serving: [], heldOut: {}, approval: { required: false, timeoutSeconds: 60, roles: [] } };

/** A run whose template has these parts; the plan reads no other members. */
const planWith = (template: object) =>
  planOf({
    spec: {
      ...{ pipeline: 'wine', number: 3, trigger: { type: 'api' } },
      template: {
        ...{ training: { model: { name: 'wine' } }, gates, packaging: { integrationName: '' } },
        ...{ deployment: { id: '' } },
        ...template,
      },
    } as unknown as PipelineRun['spec'],
  });

test('a run of a training alone has no gate, no packaging and no deployment', () => {
  expect(planWith({})).toEqual({
    ...{ pipeline: 'wine', number: 3, trigger: 'api', modelName: 'wine', packaging: false, deployment: false },
    gates: { metrics: false, heldOut: false },
  });
});

test('packaging and deployment are steps when the template names them', () => {
  const plan = planWith({ packaging: { integrationName: 'docker' }, deployment: { id: 'wine' } });
  expect([plan.packaging, plan.deployment]).toEqual([true, true]);
});

test.each([
  [{ metrics: [{}] }, { metrics: true, heldOut: false }],
  [{ serving: [{}] }, { metrics: true, heldOut: false }],
  [{ heldOut: { connection: 'bucket' } }, { metrics: false, heldOut: true }],
  [{ approval: { required: true, timeoutSeconds: 60 } }, { metrics: false, heldOut: false, approvalSeconds: 60 }],
])('the gates %j are the steps %j', (given, steps) => {
  expect(planWith({ deployment: { id: 'wine' }, gates: { ...gates, ...given } }).gates).toEqual(steps);
});

test('an approval ends its step by the decision, a rejection with the caller and the reason', () => {
  const approval = { by: 'anna', at: '2026-01-01T00:00:00.000Z', reason: 'too slow' };
  expect(endOfApproval({ ...approval, decision: 'approved' })).toEqual({ state: 'succeeded' });
  const rejected = endOfApproval({ ...approval, decision: 'rejected' });
  expect(rejected).toMatchObject({ state: 'failed', reason: 'Rejected' });
  expect(rejected.message).toContain('anna');
  expect(rejected.message).toContain('too slow');
});
