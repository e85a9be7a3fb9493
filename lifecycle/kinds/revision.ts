import type { RunRef } from '../../platform/kinds/ids.js';
import type { RecordRules } from './record-rules.js';
import type { Egress } from './egress.js';

/** An immutable snapshot of a deployment: what the replicas of one generation run. Small, because workflows carry it. */
export interface Revision {
  ref: RunRef;
  /** As the spec names it. */
  image: string;
  /** `sha256:...` of the manifest in the registry; absent for an image in no registry, and in earlier histories. */
  imageDigest?: string;
  /** `sha256:...` as the engine names what it runs; absent in histories of an earlier release. */
  imageId?: string;
  /** Why the origin of the image is not known, where the policy admits that. */
  warning?: string;
  /** Absent: `platform-ml-server`. */
  predictor?: 'tensor-server';
  roleName: string;
  /** Further roles that may invoke the model. */
  roles?: readonly string[];
  /** The beginning of the annotation `description`. */
  description?: string;
  feedback: boolean;
  /** Absent in histories of an earlier release. */
  records?: RecordRules;
  /** Where replicas may connect to; absent in histories of an earlier release: nowhere. */
  egress?: Egress;
  /** Replicas at the start. */
  replicas: number;
  /** The number of replicas follows the calls between these; absent in histories of an earlier release: it is fixed. */
  scale?: { min: number; max: number };
  /** Nothing runs, and calls are refused. */
  suspended?: boolean;
  /** Calls that one replica takes at once. */
  concurrency?: number;
  limits: { cpus: number; memoryBytes: number };
  /** Seconds before the first probe. */
  readinessDelay: number;
  /** A replica that never got ready is not replaced within so many seconds; absent in histories of an earlier release. */
  livenessDelay?: number;
  /** From the labels of the image. */
  port: number;
  timeoutSeconds: number;
  modelName: string;
  modelVersion: string;
}
