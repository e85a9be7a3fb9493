import type { Packaging } from '../../lifecycle/kinds/packaging.js';
import { text } from './data-fields.js';
import { type EmittedEvent, MODEL_PATH } from './emitted-event.js';
import type { EventFamily } from './event-family.js';
import { EXAMPLE_RUN, RUN_FIELDS, runData, runTypes, transitionOf } from './run-data.js';

export const PACKAGING_FAMILY: EventFamily = {
  name: 'pipeline.packaging',
  fields: { ...RUN_FIELDS, artifact_name: text(), image: text() },
  example: {
    source: '/api/v1/model/packaging',
    subject: 'packaging/wine-3',
    data: { kind: 'ModelPackaging', id: 'wine-3', ...EXAMPLE_RUN, artifact_name: 'wine-3.zip' },
  },
  types: runTypes('packaging'),
};

/** Returns the event of a write of a packaging, if the write changed its state. */
export function packagingEvent(before: Packaging | undefined, after: Packaging | undefined): EmittedEvent | undefined {
  const word = transitionOf(before, after);
  if (word === undefined || after === undefined) return undefined;
  return {
    type: `pipeline.packaging.${word}`,
    source: `${MODEL_PATH}/packaging`,
    subject: `packaging/${after.id}`,
    data: {
      ...runData(after),
      artifact_name: after.spec.artifactName,
      image: after.status.results.find(({ name }) => name === 'image')?.value,
    },
  };
}
