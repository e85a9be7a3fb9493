import type { PipelineRun } from '../../lifecycle/kinds/pipeline-run.js';
import type { Pipeline } from '../../lifecycle/kinds/pipeline.js';
import type { PlatformEvent } from '../../platform/kinds/platform-event.js';
import { integer, text } from './data-fields.js';
import { type EmittedEvent, MODEL_PATH, shortened } from './emitted-event.js';
import type { EventFamily } from './event-family.js';
import { RESOURCE_FIELDS } from './run-data.js';

export const DEFINITION_FAMILY: EventFamily = {
  name: 'pipeline.definition',
  fields: { ...RESOURCE_FIELDS, pipeline: text() },
  example: {
    source: '/api/v1/model/pipeline',
    subject: 'pipeline/wine',
    data: { kind: 'ModelPipeline', id: 'wine', version: 1, generation: 1, pipeline: 'wine' },
  },
  types: {
    created: { description: 'A pipeline was created.' },
    deleted: { description: 'A pipeline is gone.' },
  },
};

export const SCHEDULE_FAMILY: EventFamily = {
  name: 'pipeline.schedule',
  fields: { kind: text(true), id: text(true), version: integer(), run: text(), by: text(), note: text() },
  example: {
    source: '/api/v1/model/pipeline',
    subject: 'schedule/wine',
    data: { kind: 'ModelPipeline', id: 'wine', version: 7 },
  },
  types: {
    run_started: { description: 'A schedule made a run of its pipeline.', data: { run: 'wine-3' } },
    run_skipped: {
      description: 'A schedule made no run, because another run was in progress or a quota was reached.',
      data: { note: 'run wine-2 goes on' },
    },
    paused: { description: 'A person paused a schedule.', data: { by: 'ana', note: 'until the data are mended' } },
    resumed: { description: 'A person resumed a paused schedule.' },
  },
};

/** Returns the event of a write of a pipeline: its creation, its deletion, or a pause or resume of its schedule. */
export function scheduleEventOf(before: Pipeline | undefined, after: Pipeline | undefined): EmittedEvent | undefined {
  if (before === undefined || after === undefined) return definitionEvent(before, after);
  const { paused } = after.status;
  if ((paused === undefined) === (before.status.paused === undefined)) return undefined;
  const word = paused === undefined ? 'resumed' : 'paused';
  const how = paused === undefined ? {} : { by: paused.by, note: paused.note };
  return { ...scheduleOf(after.id), type: `pipeline.schedule.${word}`, data: { ...pipelineData(after.id), ...how } };
}

function definitionEvent(before: Pipeline | undefined, after: Pipeline | undefined): EmittedEvent | undefined {
  const pipeline = after ?? before;
  if (pipeline === undefined) return undefined;
  const { id, generation } = pipeline;
  return {
    type: `pipeline.definition.${after === undefined ? 'deleted' : 'created'}`,
    source: `${MODEL_PATH}/pipeline`,
    subject: `pipeline/${id}`,
    data: { ...pipelineData(id), generation, pipeline: id },
  };
}

/** Returns the event of a run that a schedule started. */
export const scheduleStarted = ({ id, spec: { pipeline } }: PipelineRun): EmittedEvent => ({
  ...scheduleOf(pipeline),
  type: 'pipeline.schedule.run_started',
  version: id, // a run has no revision of the pipeline
  data: { ...pipelineData(pipeline), run: id },
});

/**
 * Returns the event of a turn of a schedule that started no run, because another run was in progress.
 * @param key of the turn
 */
export function scheduleSkipped(
  pipeline: string,
  { key, at, note }: { key: string; at: string; note: string },
): PlatformEvent {
  return {
    ...scheduleOf(pipeline),
    key: `pipeline/ModelPipeline/${pipeline}/skipped/${key}`,
    type: 'pipeline.schedule.run_skipped',
    version: key,
    at,
    data: JSON.stringify({ ...pipelineData(pipeline), note: shortened(note) }),
  };
}

const scheduleOf = (pipeline: string) => ({ source: `${MODEL_PATH}/pipeline`, subject: `schedule/${pipeline}` });
const pipelineData = (id: string) => ({ kind: 'ModelPipeline', id });
