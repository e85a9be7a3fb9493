import type { RecordRules } from './record-rules.js';

/** One running replica as the gateway reaches it. */
export interface Replica {
  /** Container name. */
  name: string;
  /** Origin, such as `http://127.0.0.1:40123`. */
  url: string;
}

/** The route table's row of one deployment: written by its workflow, read by every gateway. */
export interface Endpoint {
  /** Deployment id. */
  id: string;
  uid: string;
  /** Generation of the deployment that these replicas serve. */
  generation: number;
  /** Image id (`sha256:...`) of what runs; absent in rows of an earlier release. */
  imageId?: string;
  roleName: string;
  /** Further roles that may invoke the model. */
  roles?: readonly string[] | undefined;
  /** The description for the catalog. */
  description?: string | undefined;
  modelName: string;
  modelVersion: string;
  /** Serving timeout of the image. */
  timeoutSeconds: number;
  /** Whether requests, responses and feedback of this deployment are recorded. */
  feedback: boolean;
  /** Rules of its records; absent in rows of an earlier release. */
  records?: RecordRules;
  replicas: Replica[];
  /** The answer of the image to `GET /api/model/info`: an OpenAPI 3.0 document. */
  info: Record<string, unknown>;
  /** Under which it was written; absent in rows of an earlier release. */
  epoch?: number;
  /** A revision that takes over step by step. */
  candidate?: Candidate;
}

/** A revision under rollout, as an endpoint of its own; `weight` percent of the calls are for it. */
export interface Candidate {
  weight: number;
  endpoint: Omit<Endpoint, 'candidate'>;
}
