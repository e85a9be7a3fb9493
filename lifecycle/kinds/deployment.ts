import type { z } from 'zod';
import type { DeploymentState } from './deployment-state.js';
import { EGRESS } from './egress.js';
import { IMAGE_POLICIES } from './image-policy.js';
import type { Resource } from '../../platform/kinds/resource.js';
import {
  choice,
  flag,
  integer,
  object,
  optionalChoice,
  optionalList,
  optionalText,
  text,
  textMap,
} from '../../platform/kinds/lenient.js';
import type { Reason } from '../../platform/kinds/reasons.js';
import { DEFAULT_RESOURCES, ResourceRequirements } from '../../platform/kinds/resource-requirements.js';
import { RecordRules } from './record-rules.js';
import { RolloutSpec, type RolloutStatus } from './rollout.js';
import type { Revision } from './revision.js';
import type { Transition } from '../../platform/kinds/run-status.js';

/** Which image serves, with how many replicas, for whom. */
export const DeploymentSpec = object({
  /** Full image name, as a packaging's result `image` says it. */
  image: text(),
  /** Inference server in the image, as the client named it. */
  predictor: text(),
  /** Role that may invoke the model; `role-<id>` when none was given. */
  roleName: text(),
  /** Further roles that may invoke the model. */
  roles: optionalList(text()),
  minReplicas: integer(0),
  maxReplicas: integer(1),
  /** Seconds. */
  livenessProbeInitialDelay: integer(2),
  readinessProbeInitialDelay: integer(2),
  /** Id of the connection to pull with. */
  imagePullConnID: optionalText(),
  resources: ResourceRequirements.default(DEFAULT_RESOURCES.deployment),
  annotations: textMap(),
  /** Empty: any pool. */
  nodeSelector: textMap(),
  /** Whether requests, responses and feedback of this deployment are recorded. */
  feedback: flag(true),
  /** Values that these records leave out, and how long they are kept. */
  records: RecordRules,
  /** Where the replicas may connect to: nowhere, or to public addresses. */
  egress: choice(EGRESS, 'none'),
  /** Which images it runs; absent: as the installation says. */
  imagePolicy: optionalChoice(IMAGE_POLICIES),
  /** Whether only runs of `pipeline` and admins change, scale and delete it. */
  protected: flag(false),
  /** Pipeline whose runs change a protected deployment; absent: no run does. */
  pipeline: optionalText(),
  /** How a new revision takes over; absent: at once, when it is ready. */
  rollout: RolloutSpec.optional(),
});
export type DeploymentSpec = z.infer<typeof DeploymentSpec>;

/** The most entries of `roles`: a gateway compares them at each call. */
export const MOST_ROLES = 50;

export interface DeploymentStatus {
  state: DeploymentState;
  replicas: number;
  availableReplicas: number;
  /** Name of the running service. */
  deployment: string;
  hostHeader?: string;
  /** RFC 3339 UTC with milliseconds. */
  lastUpdatedTime?: string;
  modelName?: string;
  modelVersion?: string;
  /** `sha256:...` of the manifest that serves; absent for an image that is in no registry. */
  imageDigest?: string;
  /** Id (`sha256:...`) of the image that serves. */
  imageId?: string;
  /** A fact that an operator should know although the deployment serves. */
  warning?: string;
  reason?: Reason;
  message?: string;
  rollout?: RolloutStatus;
  transitions: Transition[];
}
export interface Deployment extends Resource<DeploymentSpec, DeploymentStatus> {
  /** The revision with the traffic, after a failed update an older generation: a restarted workflow reads it here. */
  serving?: Revision;
  /** The generation that gets all traffic at once, because it goes back to an earlier revision. */
  atOnce?: number;
}

/** A workflow fills in the rest; what clients read is there from the first reply on. */
export const freshDeployment = (now: Date, id: string): DeploymentStatus => ({
  state: 'Processing',
  replicas: 0,
  availableReplicas: 0,
  deployment: id,
  transitions: [{ state: 'Processing', at: now.toISOString() }],
});
