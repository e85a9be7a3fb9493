import type { z } from 'zod';
import type { Resource } from '../../platform/kinds/resource.js';
import { castText, flag, list, object, optionalText, text, textMap } from '../../platform/kinds/lenient.js';
import { DEFAULT_RESOURCES, ResourceRequirements } from '../../platform/kinds/resource-requirements.js';

/** A place in object storage: a connection, and a path below its own. */
export const StoredFolder = object({ connection: optionalText(), path: optionalText() });
export type StoredFolder = z.infer<typeof StoredFolder>;

/** A program that predicts files: what the jobs of the service run, and where their files are unless a job says it. */
export const InferenceServiceSpec = object({
  image: text(),
  /** The program; it replaces the entry point of the image. */
  command: list(castText()),
  /** They come before the names of the input file and the output folder. */
  args: list(castText()),
  /** Exactly one of the two: files of a connection, or a model that is in the image. */
  modelRegistry: object({
    remote: object({ modelConnection: optionalText(), modelPath: optionalText() }),
    local: object({ meta: object({ name: castText(), version: castText() }), modelPath: optionalText() }),
  }),
  dataSource: StoredFolder,
  outputDestination: StoredFolder,
  triggers: object({ webhook: object({ enabled: flag(true) }) }),
  /** Empty: any pool. */
  nodeSelector: textMap(),
  resources: ResourceRequirements.default(DEFAULT_RESOURCES.batch),
});
export type InferenceServiceSpec = z.infer<typeof InferenceServiceSpec>;
export type InferenceService = Resource<InferenceServiceSpec, Record<string, never>>;
