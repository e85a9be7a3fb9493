import { z } from 'zod';
import { DEPLOYMENT_STATES } from '../../lifecycle/kinds/deployment-state.js';
import type { DeploymentStatus as StoredDeploymentStatus } from '../../lifecycle/kinds/deployment.js';
import type { InferenceJobStatus as StoredInferenceJobStatus } from '../../lifecycle/kinds/inference-job.js';
import type { PackagingStatus as StoredPackagingStatus } from '../../lifecycle/kinds/packaging.js';
import { REASONS } from '../../platform/kinds/reasons.js';
import type { Reason } from '../../platform/kinds/reasons.js';
import type { RouteStatus as StoredRouteStatus } from '../../lifecycle/kinds/route.js';
import { RolloutStatus } from './rollout.js';
import { RUN_STATES } from '../../platform/kinds/run-status.js';
import type { TrainingStatus as StoredTrainingStatus } from '../../lifecycle/kinds/training.js';

/** Schemas of what only the service writes. `satisfies` keeps them equal to the types that the workflows write. */
export const Time = z.iso.datetime();
const ReasonWord = z.enum(Object.keys(REASONS) as [Reason, ...Reason[]]);
const Transitions = z.array(z.object({ state: z.string(), at: Time })).meta({ description: 'every state so far' });

export const Run = {
  state: z.enum(RUN_STATES).meta({ description: '`succeeded` and `failed` are final; a canceled run is `failed`' }),
  podName: z.string().optional().meta({ description: 'name of the container that does the work' }),
  workflowId: z.string().optional(),
  startedAt: Time.optional(),
  finishedAt: Time.optional(),
  reason: ReasonWord.optional(),
  message: z.string().optional().meta({ description: 'one sentence with the last useful log line' }),
  step: z.string().optional().meta({ description: 'the step that gave up' }),
  exitCode: z.int().optional(),
  logTail: z.string().optional(),
  transitions: Transitions,
};

const Count = z.int().nonnegative();
const FeedbackRows = z.object({
  from: Time.meta({ description: 'calls from here on' }),
  to: Time.meta({ description: 'calls before this' }),
  asOf: Time.meta({ description: 'feedback up to here' }),
  key: z.string().optional().meta({ description: "object in the platform's bucket that holds the rows" }),
  sizeBytes: z.int().optional(),
  counts: z
    .object({
      joined: Count.meta({ description: 'calls with feedback: the rows' }),
      orphaned: Count.meta({ description: 'feedback of the window that names no answered call of it' }),
      unanswered: Count.meta({ description: 'answered calls without feedback' }),
      late: Count.meta({ description: 'feedback that came too long after its call' }),
      replaced: Count.meta({ description: 'feedback that later feedback on the same call replaces' }),
      dropped: Count.meta({ description: 'records that are broken, or whose bodies were cut' }),
    })
    .optional(),
});

export const TrainingStatus = z.object({
  ...Run,
  artifacts: z.array(z.object({ runId: z.string(), artifactName: z.string(), commitID: z.string() })),
  artifactName: z.string().optional().meta({ description: 'name a packaging asks for' }),
  artifactDigest: z.string().optional().meta({ description: 'SHA-256 of the artifact' }),
  artifactBytes: z.int().optional().meta({ description: 'size of the artifact' }),
  metrics: z.record(z.string(), z.number()).optional(),
  parameters: z.record(z.string(), z.string()).optional(),
  data: z
    .array(z.object({ localPath: z.string(), digest: z.string().optional(), feedback: FeedbackRows.optional() }))
    .optional()
    .meta({ description: 'what the data bindings brought, in their order' }),
}) satisfies z.ZodType<StoredTrainingStatus>;

export const PackagingStatus = z.object({
  ...Run,
  results: z
    .array(z.object({ name: z.string(), value: z.string() }))
    .meta({ description: 'the item named `image` is the first one' }),
  artifactDigest: z.string().optional().meta({ description: 'SHA-256 of the artifact' }),
  imageId: z.string().optional().meta({ description: 'id of the image, by its content' }),
}) satisfies z.ZodType<StoredPackagingStatus>;

export const InferenceJobStatus = z.object({
  ...Run,
  files: z
    .object({ done: Count, total: Count })
    .optional()
    .meta({ description: 'input files whose output is stored, and all of them' }),
}) satisfies z.ZodType<StoredInferenceJobStatus>;

export const DeploymentStatus = z.object({
  state: z.enum(DEPLOYMENT_STATES),
  replicas: z.int(),
  availableReplicas: z.int(),
  deployment: z.string().meta({ description: 'name of the running service' }),
  hostHeader: z.string().optional(),
  lastUpdatedTime: Time.optional(),
  modelName: z.string().optional(),
  modelVersion: z.string().optional(),
  imageDigest: z.string().optional().meta({ description: 'digest of the manifest that serves' }),
  imageId: z.string().optional().meta({ description: 'id of the image that serves, by its content' }),
  warning: z.string().optional().meta({ description: 'why the origin of the image that serves is not known' }),
  reason: ReasonWord.optional(),
  message: z.string().optional(),
  rollout: RolloutStatus.optional().meta({ description: 'the rollout of this generation' }),
  transitions: Transitions,
}) satisfies z.ZodType<StoredDeploymentStatus>;

export const RouteStatus = z.object({
  edgeUrl: z.string().meta({ description: 'absolute; append `/api/model/info` or `/api/model/invoke`' }),
  state: z.enum(['', 'Processing', 'Ready']),
}) satisfies z.ZodType<StoredRouteStatus>;

export const NoStatus = z.object({});
