import { z } from 'zod';
import { DeploymentSpec } from './deployment.js';
import type { Resource } from '../../platform/kinds/resource.js';
import {
  castText,
  flag,
  integer,
  list,
  number,
  object,
  optionalList,
  optionalNumber,
  optionalText,
  switchedOn,
  text,
  textMap,
} from '../../platform/kinds/lenient.js';
import { PackagingSpec } from './packaging.js';
import type { Trigger } from './pipeline-trigger.js';
import { TrainingSpec } from './training.js';

/** Bounds of one number; at least one of the two is given. */
const LIMITS = { min: optionalNumber(), max: optionalNumber() };

/** The gates between the steps of a run. */
const PipelineGates = object({
  /** Limits on metrics that the training logged. */
  metrics: list(object({ metric: text(), ...LIMITS })),
  /** Better than the model that the deployment serves now, by at least `margin`. */
  serving: list(object({ metric: text(), goal: text('minimize'), margin: number(0) })),
  /** The image answers a stored sample set: a JSON file with `columns`, `data` and `expected`, one value per row. */
  heldOut: object({ connection: optionalText(), path: optionalText(), metric: text(), ...LIMITS }),
  /** A person looks before the deployment is changed. */
  approval: switchedOn('required', {
    /** On where an approval is given. */
    required: flag(false),
    roles: list(text()),
    /** Whether the person who started or retried the run may approve it; by default only where no `roles` are named. */
    allowAuthor: z.boolean().optional(),
    timeoutSeconds: integer(7 * 24 * 3_600),
  }),
});

/** The triggers that start a run beside a call of the API. */
const PipelineTriggers = object({
  /** Five fields of cron, in an IANA time zone. */
  schedule: object({
    cron: optionalText(),
    timeZone: text('UTC'),
    jitterSeconds: integer(0),
    /** How long after a missed time the run is still made up for. */
    catchupSeconds: integer(60),
  }),
  /** So many new feedback records of the model; 0: off. */
  feedback: object({ records: integer(0) }),
  /** The error of the served model, from feedback joined to predictions, is above `limit`. */
  drift: object({
    measure: optionalText(),
    limit: number(0),
    /** Places of the prediction in the response and of the truth in the feedback: JSON pointers (RFC 6901). */
    prediction: text('/prediction/0'),
    truth: text(),
    /** So many pairs of both at least, of so many seconds back. */
    samples: integer(100),
    windowSeconds: integer(86_400),
  }),
  /** The objects behind the training's data bindings are others than those of the last run. */
  data: flag(false),
  /** A signed request to `POST /api/v1/model/pipeline/{id}/webhook`; another `secretVersion` means another secret. */
  webhook: switchedOn('enabled', {
    /** On where a webhook is given. */
    enabled: flag(false),
    secretVersion: integer(1),
    /** Events of GitHub that start a run, such as `push`; without it every event but `ping`. */
    events: optionalList(text()),
    /** Branches whose messages of GitHub start a run, such as `main`; without it every branch. */
    branches: optionalList(text()),
  }),
});

/** From a commit to traffic: templates of three steps, what a model must reach between them, and what starts a run. */
export const PipelineSpec = object({
  /** Declared parameters with their defaults; a run may give others. */
  parameters: textMap(),
  /** Version of the model. */
  version: castText().default('{{ run }}'),
  training: TrainingSpec,
  /** Without `integrationName` the pipeline ends with the artifact. The `artifactName` is the training's. */
  packaging: PackagingSpec,
  /** Which deployment gets the image; without `id` the pipeline ends with the image, which is the packaging's. */
  deployment: object({ id: text(), spec: DeploymentSpec }),
  gates: PipelineGates,
  triggers: PipelineTriggers,
  /** `restore`: a deployment that failed gets its former spec back; `keep`: it stays as it is. */
  onFailure: text('restore'),
  /** Addresses that receive events of runs; each has a subscription that the pipeline owns. */
  notify: list(object({ url: text(), on: list(text()) })),
  /** Never reuse what an earlier run made of the same inputs. */
  noCache: flag(false),
});
export type PipelineSpec = z.infer<typeof PipelineSpec>;

export interface PipelineStatus {
  /** Number of the newest run; 0 before the first. */
  lastRun: number;
  /** A person halted the schedule. */
  paused?: { by: string; at: string; note: string };
  /** The newest run that a trigger did not get, since the last one that was made. */
  refused?: { trigger: Trigger['type']; at: string; message: string };
  /** How far each trigger that counts has come, as text of its own. */
  positions: Partial<Record<Trigger['type'], string>>;
}
/** The events of a run that a pipeline can notify of. */
export const RUN_NOTIFICATIONS = ['succeeded', 'failed', 'waiting'] as const;
export type RunNotification = (typeof RUN_NOTIFICATIONS)[number];

export type Pipeline = Resource<PipelineSpec, PipelineStatus>;

export const hasPackaging = ({ packaging }: PipelineSpec): boolean => packaging.integrationName !== '';
export const hasDeployment = ({ deployment }: PipelineSpec): boolean => deployment.id !== '';
