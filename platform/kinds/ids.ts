/** Names that one layer gives and another must find again. Pure: usable in the workflow sandbox. */

/** A kind that has a lifecycle of its own: its name in workflow ids, container names and object keys. */
export type RunKind = 'training' | 'packaging' | 'deployment' | 'pipeline' | 'batchJob';
/** A kind that runs to an end, and can be canceled before it. */
export type JobKind = Exclude<RunKind, 'deployment'>;

/** One generation of one stored resource. `uid` tells a re-created resource from the deleted one of the same id. */
export interface RunRef {
  id: string;
  uid: string;
  generation: number;
}

/** The words of the command line, where they differ from the kind. */
const WORDS: Partial<Record<RunKind, string>> = { pipeline: 'run', batchJob: 'inference-job' };

/** The id of a resource's workflow is the name that the command line has for the resource. */
export function workflowId(kind: RunKind, id: string): string {
  return `${WORDS[kind] ?? kind}/${id}`;
}

/** The id that earlier versions gave: a workflow that is still open keeps it. */
export const earlierWorkflowId = (kind: RunKind, id: string): string => `${kind}/${id}`;

/** The rollout of a deployment's new generation, beside the workflow of the deployment. */
export const rolloutWorkflowId = (id: string): string => `rollout/${id}`;

/** The generation that a run of the workflow of a training or packaging is for; it is in the run's memo. */
export function runMemo({ uid, generation }: RunRef) {
  return { uid, generation };
}

/** Deterministic container name; a restarted worker finds its container by it. At most 63 characters. */
export function containerName(kind: RunKind, { id, uid, generation }: RunRef, part?: string): string {
  const tail = `-${uid.slice(0, 8)}-${generation}${part === undefined ? '' : `-${part}`}`;
  const head = `slipway-${kind}-`;
  // The uid keeps names apart when a long id has to be cut.
  return `${head}${id.slice(0, 63 - head.length - tail.length).replace(/-+$/, '')}${tail}`;
}

/** Prefix in object storage under which the log of one generation (or one replica of it) is kept. */
export function logPrefix(kind: RunKind, { id, uid, generation }: RunRef, replica?: string): string {
  return `${resourceLogPrefix(kind, { id, uid })}${generation}/${replica === undefined ? '' : `${replica}/`}`;
}

/** Prefix of the logs of all resources of a kind. */
export const kindLogPrefix = (kind: RunKind): string => `logs/${kind}/`;

/** Prefix of all logs of one resource; without `uid`, of all resources that ever had the id. */
export function resourceLogPrefix(kind: RunKind, { id, uid }: { id: string; uid?: string }): string {
  return `${kindLogPrefix(kind)}${id}/${uid === undefined ? '' : `${uid}/`}`;
}
