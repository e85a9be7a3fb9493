import type { z } from 'zod';
import type { Resource } from '../../platform/kinds/resource.js';
import { FeedbackBinding } from './feedback-binding.js';
import type { FeedbackCounts } from './feedback-window.js';
import { castText, list, object, optionalText, text, textMap } from '../../platform/kinds/lenient.js';
import { DEFAULT_RESOURCES, ResourceRequirements } from '../../platform/kinds/resource-requirements.js';
import { freshRun, type RunStatus } from '../../platform/kinds/run-status.js';

/** A training: the source, the data, and the target of the artifact. */
export const TrainingSpec = object({
  model: object({
    name: castText(),
    version: castText(),
    artifactNameTemplate: text('{{ .Name }}-{{ .Version }}-{{ .RandomUUID }}.zip'),
  }),
  /** Id of a toolchain integration. */
  toolchain: text(),
  entrypoint: text('main'),
  /** Folder of the project, relative to the root of the repository. */
  workDir: text('./'),
  /** Exactly one of the two has a `connection`. */
  algorithmSource: object({
    vcs: object({ connection: optionalText(), reference: optionalText() }),
    objectStorage: object({ connection: optionalText(), path: optionalText() }),
  }),
  /**
   * Input data: `localPath` is relative to the root of the repository. It comes from a connection, at `remotePath`
   * below its path, or from the records of a served model.
   */
  data: list(
    object({
      connection: text(),
      localPath: text(),
      remotePath: optionalText(),
      feedback: FeedbackBinding.optional(),
    }),
  ),
  hyperParameters: textMap(),
  /** A variable with `valueFrom` gets a secret of a connection that allows it (`usableIn`); its `value` is empty. */
  envs: list(
    object({
      name: text(),
      value: castText(),
      valueFrom: object({ connection: text(), field: text() }).optional(),
    }),
  ),
  args: list(castText()),
  /** Image of the job; the toolchain's `defaultImage` when none was given. */
  image: optionalText(),
  resources: ResourceRequirements.default(DEFAULT_RESOURCES.training),
  /** Id of the connection that stores the artifact. */
  outputConnection: text(),
  /** Empty: any pool. */
  nodeSelector: textMap(),
});
export type TrainingSpec = z.infer<typeof TrainingSpec>;

export interface TrainedArtifact {
  /** Run id of the experiment tracker. */
  runId: string;
  artifactName: string;
  /** Commit that was trained; `''` when the source was object storage. */
  commitID: string;
}

/** The data of one binding as a run found it. */
export interface TrainingData {
  localPath: string;
  /** SHA-256; absent until the data is there. */
  digest?: string;
  feedback?: FeedbackData;
}

/** Records of a served model as a run resolved them: a retry gets the same rows. */
export interface FeedbackData {
  /** Calls from here on, before there; feedback up to `asOf`. RFC 3339 UTC. */
  from: string;
  to: string;
  asOf: string;
  /** Object in the platform's bucket that holds the rows, and its size; absent until they are there. */
  key?: string;
  sizeBytes?: number;
  counts?: FeedbackCounts;
}

export interface TrainingStatus extends RunStatus {
  artifacts: TrainedArtifact[];
  /** Equals `artifacts[0].artifactName`. */
  artifactName?: string;
  /** SHA-256 of the stored artifact. */
  artifactDigest?: string;
  artifactBytes?: number;
  metrics?: Record<string, number>;
  parameters?: Record<string, string>;
  /** Facts of the data that the bindings brought, in their order. */
  data?: TrainingData[];
}
export type Training = Resource<TrainingSpec, TrainingStatus>;

export const freshTraining = (now: Date): TrainingStatus => ({ ...freshRun(now), artifacts: [] });
