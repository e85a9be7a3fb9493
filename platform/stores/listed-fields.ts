import type { Kind } from '../kinds/resource.js';

/**
 * The fields that lists of a kind, and rounds over its open resources, filter by. They are the only ones that the indexes hold: a new filter of a list begins
 * here, and the next start of the platform creates its index.
 */
// prettier-ignore
const LISTED_FIELDS = {
  Connection:           ['spec.type'],
  ToolchainIntegration: [],
  PackagingIntegration: [],
  ModelTraining:        ['spec.toolchain', 'spec.model.name', 'spec.model.version', 'status.state'],
  ModelPackaging:       ['spec.integrationName', 'spec.artifactName', 'status.state'],
  ModelDeployment:      ['spec.roleName', 'status.state'],
  ModelPipeline:        ['spec.training.model.name'],
  PipelineRun:          ['status.state'],
  InferenceService:     [],
  InferenceJob:         ['spec.inferenceServiceId', 'status.state'],
} as const satisfies Partial<Record<Kind, readonly string[]>>;

export type ListedKind = keyof typeof LISTED_FIELDS;
export type ListedField = (typeof LISTED_FIELDS)[ListedKind][number];

export const listedFields = (kind: ListedKind): readonly ListedField[] => LISTED_FIELDS[kind];

export const isListed = (kind: Kind): kind is ListedKind => Object.hasOwn(LISTED_FIELDS, kind);
// The keys of the table are its kinds.
export const LISTED_KINDS = Object.keys(LISTED_FIELDS) as ListedKind[];
