import type { Training } from '../../lifecycle/kinds/training.js';
import { text } from './data-fields.js';
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

export const TRAINING_FAMILY: EventFamily = {
  name: 'pipeline.training',
  fields: { ...RUN_FIELDS, ...MODEL_FIELDS, artifact_name: text(), commit: text() },
  more: METRICS_SCHEMA,
  example: {
    source: '/api/v1/model/training',
    subject: 'training/wine-3',
    data: { kind: 'ModelTraining', id: 'wine-3', ...EXAMPLE_RUN, model_name: 'wine', model_version: '3' },
  },
  types: runTypes('training'),
};

/** Returns the event of a write of a training, if the write changed its state. */
export function trainingEvent(before: Training | undefined, after: Training | undefined): EmittedEvent | undefined {
  const word = transitionOf(before, after);
  if (word === undefined || after === undefined) return undefined;
  const { spec, status } = after;
  return {
    type: `pipeline.training.${word}`,
    source: `${MODEL_PATH}/training`,
    subject: `training/${after.id}`,
    data: {
      ...runData(after),
      model_name: spec.model.name,
      model_version: spec.model.version,
      artifact_name: status.artifactName,
      commit: status.artifacts[0]?.commitID,
      metrics: metricsData(status.metrics),
    },
  };
}
