import type { RunRef } from '../../platform/kinds/ids.js';
import type { RecordRules } from './record-rules.js';
import type { Egress } from './egress.js';

/** An immutable snapshot of a deployment: what the replicas of one generation run. Small, because workflows carry it. */
export interface Revision {
  ref: RunRef;
  image: string;
  /** `sha256:...` as the engine names what it runs; absent in histories of an earlier release. */
  imageId?: string;
  roleName: string;
  feedback: boolean;
  /** Absent in histories of an earlier release. */
  records?: RecordRules;
  /** Where replicas may connect to; absent in histories of an earlier release: nowhere. */
  egress?: Egress;
  replicas: number;
  limits: { cpus: number; memoryBytes: number };
  /** Seconds before the first probe. */
  readinessDelay: number;
  /** From the labels of the image. */
  port: number;
  timeoutSeconds: number;
  modelName: string;
  modelVersion: string;
}
