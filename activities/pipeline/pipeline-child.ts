import { createHash } from 'node:crypto';
import type { Resource, Kind } from '../../platform/kinds/resource.js';
import { isSameJson, runAgain, toRef } from '../../platform/kinds/generation.js';
import type { RunRef } from '../../platform/kinds/ids.js';
import type { PipelineRun } from '../../lifecycle/kinds/pipeline-run.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import { isFinal, type RunStatus } from '../../platform/kinds/run-status.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { endedBadly } from '../shared/failures.js';

interface Wanted<Spec, Status> {
  kind: Kind;
  /** In sentences and in `steps[].child`. */
  word: 'training' | 'packaging';
  spec: Spec;
  freshStatus: Status;
  now: Date;
  /** Whether what it came to is there no more. */
  isLost: boolean;
}

/**
 * Makes the entity that does a step's work, or finds the one that an earlier attempt or generation of the run made.
 * @returns what must run now; nothing when it succeeded already
 * @throws run_failed, reason Conflict, when another resource has the id
 */
export async function putChild<Spec extends object, Status extends RunStatus>(
  store: ResourceStore<Resource<Spec, Status>>,
  run: PipelineRun,
  { kind, word, spec, freshStatus, now, isLost }: Wanted<Spec, Status>,
): Promise<{ ref: RunRef; done: boolean }> {
  const existing = await store.get(run.id);
  if (existing === undefined) {
    const uid = childUid(run, run.generation, word);
    const at = now.toISOString();
    const { createdBy, updatedBy } = run;
    const child: Resource<Spec, Status> = {
      ...{ kind, id: run.id, uid, spec, status: freshStatus, generation: 1, revision: 1 },
      ...{ createdAt: at, updatedAt: at, createdBy, updatedBy },
    };
    return { ref: toRef(await store.insert(child)), done: false };
  }
  const child = await store.update(run.id, (current) => {
    if (!isChild(run, current, word)) {
      const message = `${word} ${run.id} exists already, and another than this run made it; remove or rename it`;
      throw runFailed({ reason: 'Conflict', message });
    }
    const { state } = current.status;
    const isUsable =
      state !== 'failed' && current.cancelRequestedAt === undefined && !(state === 'succeeded' && isLost);
    if (isUsable && isSameJson(current.spec, spec)) return undefined;
    return { ...runAgain(current, freshStatus), spec, updatedAt: now.toISOString() };
  });
  return { ref: toRef(child), done: child.status.state === 'succeeded' };
}

/**
 * The entity that does a step's work for this run, as long as it goes on. @returns its next revision, which is canceled
 * @throws whatever the store throws
 */
export async function cancelChild<Spec extends object, Status extends RunStatus>(
  store: ResourceStore<Resource<Spec, Status>>,
  run: PipelineRun,
  word: 'training' | 'packaging',
  now: Date,
): Promise<RunRef | undefined> {
  const goesOn = (child: Resource<Spec, Status>): boolean => isChild(run, child, word) && !isFinal(child.status.state);
  const known = await store.get(run.id);
  if (known === undefined || !goesOn(known)) return undefined;
  const child = await store.update(run.id, (current) =>
    goesOn(current) && current.cancelRequestedAt === undefined
      ? { ...current, cancelRequestedAt: now.toISOString() }
      : undefined,
  );
  return goesOn(child) ? toRef(child) : undefined;
}

/**
 * Returns the result of a child.
 * @throws a failure of type run_failed with the child's reason; Conflict when it was changed or removed meanwhile
 */
export async function concludeChild<Spec extends object, Status extends RunStatus>(
  store: ResourceStore<Resource<Spec, Status>>,
  ref: RunRef,
  word: 'training' | 'packaging',
): Promise<Resource<Spec, Status>> {
  const child = await store.get(ref.id);
  if (child?.uid !== ref.uid || child.generation !== ref.generation) {
    throw runFailed({ reason: 'Conflict', message: `${word} ${ref.id} was changed or removed meanwhile` });
  }
  const { state, reason = 'Internal', message = 'it has no sentence' } = child.status;
  if (state === 'succeeded') return child;
  const sentence = isFinal(state)
    ? `${word} ${ref.id} failed: ${message}`
    : `${word} ${ref.id} ended in state ${state}`;
  throw endedBadly({ reason, message: sentence });
}

function isChild(run: PipelineRun, { uid }: { uid: string }, word: string): boolean {
  const generations = Array.from({ length: run.generation }, (_, at) => at + 1);
  return generations.some((generation) => childUid(run, generation, word) === uid);
}

/** The uid tells whose the entity is; a UUID by its form (RFC 9562, version 8). */
function childUid({ uid }: PipelineRun, generation: number, word: string): string {
  const hex = createHash('sha256').update(`${uid}/${generation}/${word}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
