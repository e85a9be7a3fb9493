import type { z } from 'zod';
import type { Entity } from './entity.js';
import { castText, list, object, optionalText, text, textMap } from './lenient.js';
import { DEFAULT_RESOURCES, ResourceRequirements } from './resource-requirements.js';
import { freshRun, type RunStatus } from './run-status.js';

/** What to train, from which source, with which data, and where the artifact goes. */
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
  /** Input data: `localPath` is relative to the root of the repository, `remotePath` replaces the connection's path. */
  data: list(object({ connection: text(), localPath: text(), remotePath: optionalText() })),
  hyperParameters: textMap(),
  envs: list(object({ name: text(), value: castText() })),
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

export interface TrainingStatus extends RunStatus {
  artifacts: TrainedArtifact[];
  /** Equals `artifacts[0].artifactName`. */
  artifactName?: string;
  metrics?: Record<string, number>;
  parameters?: Record<string, string>;
}
export type Training = Entity<TrainingSpec, TrainingStatus>;

export const freshTraining = (now: Date): TrainingStatus => ({ ...freshRun(now), artifacts: [] });
