/** The kinds of stored resources, with their names in messages (management API, section 2). */
export const KINDS = [
  'Connection',
  'ToolchainIntegration',
  'PackagingIntegration',
  'ModelTraining',
  'ModelPackaging',
  'ModelDeployment',
  'ModelRoute',
  'ModelPipeline',
  'PipelineRun',
  'InferenceService',
  'InferenceJob',
  'FeedConsumer',
  'Subscription',
  'Watch',
] as const;
export type Kind = (typeof KINDS)[number];

/** The stored form of every kind. Clients see it without `uid`, `revision`, `claimedBy` and `cancelRequestedAt`. */
export interface Resource<Spec, Status> {
  kind: Kind;
  id: string;
  /** Drawn at creation (UUID): a re-created id is another resource. */
  uid: string;
  spec: Spec;
  status: Status;
  /** Rises by one with every change of spec and every rerun. */
  generation: number;
  /** Rises by one with every write. */
  revision: number;
  /** RFC 3339 UTC with milliseconds. */
  createdAt: string;
  updatedAt: string;
  createdBy: string;
  updatedBy: string;
  /** The default route of a deployment. */
  default?: boolean;
  deletionMark?: boolean;
  /** First execution run id of the workflow that owns this generation. */
  claimedBy?: string;
  cancelRequestedAt?: string;
}
/** Any resource, where only the envelope matters. */
export type AnyResource = Resource<object, object>;
