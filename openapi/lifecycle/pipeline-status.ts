import { z } from 'zod';
import type {
  PipelineRunSpec as StoredRunSpec,
  PipelineRunStatus as StoredRunStatus,
} from '../../lifecycle/kinds/pipeline-run.js';
import { PIPELINE_STEPS, STEP_STATES } from '../../lifecycle/kinds/pipeline-run.js';
import { TRIGGERS } from '../../lifecycle/kinds/pipeline-trigger.js';
import type { PipelineStatus as StoredPipelineStatus } from '../../lifecycle/kinds/pipeline.js';
import { PipelineSpec } from '../../lifecycle/kinds/pipeline.js';
import { DeploymentSpec } from '../../lifecycle/kinds/deployment.js';
import { REASONS } from '../../platform/kinds/reasons.js';
import type { Reason } from '../../platform/kinds/reasons.js';
import { Run, Time } from './status.js';

/** Schemas of what only the service writes about pipelines. */
export const PipelineStatus = z.object({
  lastRun: z.int().meta({ description: 'number of the newest run; 0 before the first' }),
  paused: z.object({ by: z.string(), at: Time, note: z.string() }).optional(),
  refused: z
    .object({ trigger: z.enum(TRIGGERS), at: Time, message: z.string() })
    .optional()
    .meta({ description: 'the newest run that a quota refused to a trigger, since the last run' }),
  positions: z.partialRecord(z.enum(TRIGGERS), z.string()).meta({ description: 'how far each trigger has come' }),
}) satisfies z.ZodType<StoredPipelineStatus>;

const Trigger = z.object({
  type: z.enum(TRIGGERS),
  at: Time,
  by: z.string().optional(),
  message: z.string().optional(),
  key: z.string().optional(),
  position: z.string().optional(),
});

export const PipelineRunSpec = z.object({
  pipeline: z.string(),
  number: z.int(),
  parameters: z.record(z.string(), z.string()),
  version: z.string(),
  noCache: z.boolean(),
  trigger: Trigger.meta({ description: 'why the run was made' }),
  template: PipelineSpec.meta({ description: 'the spec of the pipeline when the run was made' }),
}) satisfies z.ZodType<StoredRunSpec>;

const Step = z.object({
  name: z.enum(PIPELINE_STEPS),
  state: z.enum(STEP_STATES),
  startedAt: Time,
  finishedAt: Time.optional(),
  child: z.string().optional().meta({ description: 'the entity that does the work, such as `training/wine-3`' }),
  reusedFrom: z.string().optional().meta({ description: 'the entity whose result was taken' }),
  reuseMiss: z.string().optional().meta({ description: 'why nothing was reused' }),
  inputs: z.string().optional().meta({ description: 'key of what the step was made of' }),
  reason: z.enum(Object.keys(REASONS) as [Reason, ...Reason[]]).optional(),
  message: z.string().optional(),
});

export const PipelineRunStatus = z.object({
  ...Run,
  steps: z.array(Step),
  gates: z.array(
    z.object({ gate: z.enum(['metrics', 'serving', 'heldOut']), passed: z.boolean(), message: z.string() }),
  ),
  approval: z
    .object({ decision: z.enum(['approved', 'rejected']), by: z.string(), at: Time, reason: z.string() })
    .optional(),
  commit: z.string().optional(),
  modelName: z.string().optional(),
  modelVersion: z.string().optional(),
  artifactName: z.string().optional(),
  metrics: z.record(z.string(), z.number()).optional(),
  image: z.string().optional(),
  imageDigest: z.string().optional(),
  deployed: z.object({ id: z.string(), generation: z.int(), previous: DeploymentSpec.optional() }).optional(),
}) satisfies z.ZodType<StoredRunStatus>;

export const ScheduleReply = z.object({
  cron: z.string(),
  timeZone: z.string(),
  paused: z.boolean(),
  note: z.string().meta({ description: 'why it is paused' }),
  pausedBy: z.string().optional(),
  pausedAt: Time.optional(),
  next: z.array(Time).meta({ description: 'the next times, soonest first' }),
  skipped: z.int().meta({ description: 'starts left out because a run was going on' }),
  missed: z.int().meta({ description: 'starts that came too late to be made up for' }),
});
