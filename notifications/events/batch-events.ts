import type { InferenceJob } from '../../lifecycle/kinds/inference-job.js';
import { integer, text } from './data-fields.js';
import type { EmittedEvent } from './emitted-event.js';
import type { EventFamily } from './event-family.js';
import { EXAMPLE_RUN, RUN_FIELDS, runData, runTypes, transitionOf } from './run-data.js';

const SOURCE = '/api/v1/batch/job';
const ID = 'job-wine-1a2b3';

export const BATCH_FAMILY: EventFamily = {
  name: 'pipeline.batch',
  fields: { ...RUN_FIELDS, service: text(), request_id: text(), files_done: integer(), files_total: integer() },
  example: {
    source: SOURCE,
    subject: `batch/${ID}`,
    data: { kind: 'InferenceJob', id: ID, ...EXAMPLE_RUN, service: 'wine', files_done: 0, files_total: 12 },
  },
  types: runTypes('batch job'),
};

/** Returns the event of a write of a batch job, if the write changed its state. */
export function batchEvent(
  before: InferenceJob | undefined,
  after: InferenceJob | undefined,
): EmittedEvent | undefined {
  const word = transitionOf(before, after);
  if (word === undefined || after === undefined) return undefined;
  const { spec, status } = after;
  return {
    type: `pipeline.batch.${word}`,
    source: SOURCE,
    subject: `batch/${after.id}`,
    data: {
      ...runData(after),
      service: spec.inferenceServiceId,
      request_id: spec.requestId,
      files_done: status.files?.done,
      files_total: status.files?.total,
    },
  };
}
