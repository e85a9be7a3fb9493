import type { PipelineRun } from '../../lifecycle/kinds/pipeline-run.js';
import type { Pipeline } from '../../lifecycle/kinds/pipeline.js';
import type { PlatformEvent } from '../../platform/kinds/platform-event.js';
import { MODEL_PATH, shortened, type EmittedEvent } from './emitted-event.js';

/** A pipeline came or went, or somebody halted its schedule or released it. */
export function scheduleEventOf(before: Pipeline | undefined, after: Pipeline | undefined): EmittedEvent | undefined {
  if (before === undefined || after === undefined) return tellDefinition(before, after);
  const { paused } = after.status;
  if ((paused === undefined) === (before.status.paused === undefined)) return undefined;
  const word = paused === undefined ? 'resumed' : 'paused';
  const how = paused === undefined ? {} : { by: paused.by, note: paused.note };
  return { ...scheduleOf(after.id), type: `pipeline.schedule.${word}`, data: { ...pipelineData(after.id), ...how } };
}

function tellDefinition(before: Pipeline | undefined, after: Pipeline | undefined): EmittedEvent | undefined {
  const told = after ?? before;
  if (told === undefined) return undefined;
  const { id, generation } = told;
  return {
    type: `pipeline.definition.${after === undefined ? 'deleted' : 'created'}`,
    source: `${MODEL_PATH}/pipeline`,
    subject: `pipeline/${id}`,
    data: { ...pipelineData(id), generation, pipeline: id },
  };
}

/** A run that a schedule made. */
export const scheduleStarted = ({ id, spec: { pipeline } }: PipelineRun): EmittedEvent => ({
  ...scheduleOf(pipeline),
  type: 'pipeline.schedule.run_started',
  version: id, // a run is the first revision of its own
  data: { ...pipelineData(pipeline), run: id },
});

/**
 * A schedule's turn that made no run, since one was going on.
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
