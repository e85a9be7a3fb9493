import type { AnyResource, Resource } from '../../platform/kinds/resource.js';
import { REASONS } from '../../platform/kinds/reasons.js';
import { RUN_STATES, type RunStatus } from '../../platform/kinds/run-status.js';
import { integer, oneOf, text, time } from './data-fields.js';
import { shortened } from './emitted-event.js';
import { EXAMPLE_TIME } from './example-row.js';

/** The fields of every event of a stored resource. `version` rises with every write, `generation` with every new spec. */
export const RESOURCE_FIELDS = { kind: text(true), id: text(true), version: integer(true), generation: integer(true) };
export const WHY_FIELDS = { reason: oneOf(Object.keys(REASONS)), message: text() };
export const MODEL_FIELDS = { model_name: text(), model_version: text() };
/** The fields of every event of a training, a packaging or a run of a pipeline. */
export const RUN_FIELDS = {
  ...RESOURCE_FIELDS,
  state: oneOf(RUN_STATES),
  ...WHY_FIELDS,
  started_at: time(),
  finished_at: time(),
  created_by: text(),
};
export const METRICS_SCHEMA = {
  metrics: { type: 'object', additionalProperties: { type: 'number' }, description: 'What the training logged.' },
} as const;

/** The data that examples of these events share. */
export const EXAMPLE_RUN = {
  ...{ version: 5, generation: 1, state: 'running', started_at: EXAMPLE_TIME, created_by: 'ana' },
};
const SUCCEEDED = { state: 'succeeded', finished_at: EXAMPLE_TIME };
const FAILED = { state: 'failed', reason: 'ToolchainFailed', message: 'the program ended with code 1' };
const CANCELLED = { state: 'failed', reason: 'Cancelled', message: 'canceled by ana' };

/** Declares the four types that every run has. */
export const runTypes = (name: string) => ({
  started: { description: `The work of a ${name} began.` },
  succeeded: { description: `A ${name} succeeded.`, data: SUCCEEDED },
  failed: { description: `A ${name} failed: reason and message say why.`, data: FAILED },
  cancelled: { description: `A ${name} was canceled.`, data: CANCELLED },
});

/** Returns the last word of the type when a write changed the state of a run. */
export function transitionOf(
  before: Resource<object, RunStatus> | undefined,
  after: Resource<object, RunStatus> | undefined,
): keyof ReturnType<typeof runTypes> | undefined {
  if (after === undefined || before?.status.state === after.status.state) return undefined;
  const { state, reason } = after.status;
  if (state === 'running') return 'started';
  if (state === 'succeeded') return 'succeeded';
  if (state === 'failed') return reason === 'Cancelled' ? 'cancelled' : 'failed';
  return undefined;
}

export const resourceData = ({ kind, id, generation }: AnyResource) => ({ kind, id, generation });

export function runData(resource: Resource<object, RunStatus>) {
  const { state, reason, message, startedAt, finishedAt } = resource.status;
  return {
    ...resourceData(resource),
    state,
    reason,
    message: shortened(message),
    started_at: startedAt,
    finished_at: finishedAt,
    created_by: resource.createdBy,
  };
}

/** The limit of metrics in one event: a receiver reads more of them from the training itself. */
const MOST_METRICS = 200;
export const metricsData = (metrics: Readonly<Record<string, number>> | undefined) =>
  metrics &&
  Object.fromEntries(
    Object.entries(metrics)
      .filter(([, value]) => Number.isFinite(value)) // JSON has no other numbers
      .slice(0, MOST_METRICS),
  );
