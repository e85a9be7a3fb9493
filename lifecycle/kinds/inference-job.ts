import type { z } from 'zod';
import type { Resource } from '../../platform/kinds/resource.js';
import { object, optionalText, text, textMap } from '../../platform/kinds/lenient.js';
import { ResourceRequirements } from '../../platform/kinds/resource-requirements.js';
import { freshRun, type RunStatus } from '../../platform/kinds/run-status.js';
import { StoredFolder } from './inference-service.js';

/** A run of an inference service over files; what the job leaves out is that of the service. */
export const InferenceJobSpec = object({
  /** Id of an inference service. */
  inferenceServiceId: text(),
  dataSource: StoredFolder,
  outputDestination: StoredFolder,
  nodeSelector: textMap(),
  resources: ResourceRequirements.optional(),
  /** The client's name for this job; a UUID when none was given. */
  requestId: optionalText(),
});
export type InferenceJobSpec = z.infer<typeof InferenceJobSpec>;

export interface InferenceJobStatus extends RunStatus {
  /** Input files whose output is stored, and all of them; absent until they are counted. */
  files?: { done: number; total: number };
}
export type InferenceJob = Resource<InferenceJobSpec, InferenceJobStatus>;

export const freshInferenceJob = (now: Date): InferenceJobStatus => freshRun(now);

const DRAWN = 5;

/** The id of a job. @param hex of a digest; `draw` gives another one where the id before is taken */
export const inferenceJobId = (service: string, hex: string, draw: number): string =>
  `job-${service}-${hex.slice(draw * DRAWN, (draw + 1) * DRAWN)}`;
/** A SHA-256 has 64 digits. */
export const MOST_DRAWS = Math.floor(64 / DRAWN);
