import type { PipelineRun } from '../../lifecycle/kinds/pipeline-run.js';
import { TRIGGERS } from '../../lifecycle/kinds/pipeline-trigger.js';
import { integer, oneOf, text } from './data-fields.js';
import { type EmittedEvent, MODEL_PATH } from './emitted-event.js';
import type { EventFamily } from './event-family.js';
import {
  EXAMPLE_RUN,
  METRICS_SCHEMA,
  metricsData,
  MODEL_FIELDS,
  RUN_FIELDS,
  runData,
  runTypes,
  transitionOf,
} from './run-data.js';
import { scheduleStarted } from './schedule-events.js';

export const RUN_FAMILY: EventFamily = {
  name: 'pipeline.run',
  fields: {
    ...RUN_FIELDS,
    ...MODEL_FIELDS,
    pipeline: text(),
    number: integer(),
    trigger: oneOf(TRIGGERS),
    commit: text(),
    image: text(),
  },
  more: METRICS_SCHEMA,
  example: {
    source: '/api/v1/model/pipeline',
    subject: 'run/wine-3',
    data: { kind: 'PipelineRun', id: 'wine-3', ...EXAMPLE_RUN, pipeline: 'wine', number: 3, trigger: 'feedback' },
  },
  types: {
    ...runTypes('run of a pipeline'),
    waiting: { description: 'A run of a pipeline waits for a person to approve it.' },
  },
};

/** Returns the event of a write of a pipeline's run: its start by a schedule, a change of its state, or its wait for an approval. */
export function runEvent(before: PipelineRun | undefined, after: PipelineRun | undefined): EmittedEvent | undefined {
  if (after === undefined) return undefined;
  const { id, spec, status } = after;
  if (before === undefined) return spec.trigger.type === 'schedule' ? scheduleStarted(after) : undefined;
  const begunWaiting = isWaiting(after) && !isWaiting(before);
  const word = begunWaiting ? 'waiting' : transitionOf(before, after);
  if (word === undefined) return undefined;
  return {
    type: `pipeline.run.${word}`,
    source: `${MODEL_PATH}/pipeline`,
    subject: `run/${id}`,
    data: {
      ...runData(after),
      pipeline: spec.pipeline,
      number: spec.number,
      trigger: spec.trigger.type,
      model_name: status.modelName,
      model_version: status.modelVersion,
      commit: status.commit,
      image: status.image,
      metrics: metricsData(status.metrics),
    },
  };
}

const isWaiting = ({ status }: PipelineRun): boolean =>
  status.steps.some(({ name, state }) => name === 'approval' && state === 'waiting');
