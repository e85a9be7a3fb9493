import type { Resource } from '../../platform/kinds/resource.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { containerName, type JobKind, logPrefix, type RunRef, workflowId } from '../../platform/kinds/ids.js';
import { type Failure, runFailed } from '../../platform/kinds/reasons.js';
import { isFinal, mayFollow, type RunState, type RunStatus } from '../../platform/kinds/run-status.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { LogStore } from '../../platform/stores/logs.js';

type RunResource<Status extends RunStatus> = Resource<object, Status>;

/** Whether the stored resource is still the one that this run was started for. */
export function isCurrent(resource: Resource<object, object> | undefined, ref: RunRef): boolean {
  return resource?.uid === ref.uid && resource.generation === ref.generation;
}

/** The resource of a run. @throws stale_generation when it was removed or has a newer generation */
export async function currentResource<E extends Resource<object, object>>(
  store: ResourceStore<E>,
  ref: RunRef,
): Promise<E> {
  const resource = await store.get(ref.id);
  if (resource === undefined || !isCurrent(resource, ref)) throw stale(ref);
  return resource;
}

/**
 * Takes a generation for its run. A late start does not repeat what has ended.
 * @throws stale_generation; run_failed (Cancelled) when a person was faster; not_found
 */
export async function claim<Status extends RunStatus, E extends RunResource<Status>>(
  store: ResourceStore<E>,
  kind: JobKind,
  ref: RunRef,
  now: () => Date,
): Promise<E> {
  return store.update(ref.id, (current) => {
    if (!isCurrent(current, ref)) throw stale(ref);
    if (isFinal(current.status.state)) throw ended(ref, current.status.state);
    if (current.cancelRequestedAt !== undefined)
      throw runFailed({ reason: 'Cancelled', message: 'canceled before it started' });
    // A pipeline has no container of its own, and a batch job has one for each file.
    const pod = kind === 'pipeline' || kind === 'batchJob' ? {} : { podName: containerName(kind, ref) };
    const names: Partial<RunStatus> = { workflowId: workflowId(kind, ref.id), ...pod };
    return moved(current, 'scheduling', names, now);
  });
}

/**
 * Moves the status of a run forward and never back: late attempts of an activity change nothing.
 * @throws stale_generation, not_found
 */
export async function advance<Status extends RunStatus, E extends RunResource<Status>>(
  store: ResourceStore<E>,
  ref: RunRef,
  state: RunState,
  patch: Partial<Status>,
  now: () => Date,
): Promise<E> {
  return store.update(ref.id, (current) => {
    if (!isCurrent(current, ref)) throw stale(ref);
    return moved(current, state, patch, now);
  });
}

/**
 * Writes facts of a run that goes on; one that has ended keeps what it has.
 * @throws stale_generation, not_found
 */
export async function note<Status extends RunStatus, E extends RunResource<Status>>(
  store: ResourceStore<E>,
  ref: RunRef,
  change: (status: E['status']) => E['status'],
): Promise<E> {
  return store.update(ref.id, (current) => {
    if (!isCurrent(current, ref)) throw stale(ref);
    return isFinal(current.status.state) ? undefined : { ...current, status: change(current.status) };
  });
}

/**
 * Adds facts to the status of a run that goes on; its state stays.
 * @param facts none: nothing is written
 * @throws stale_generation, not_found
 */
export async function noteFacts<E extends RunResource<RunStatus>>(
  store: ResourceStore<E>,
  ref: RunRef,
  facts: (current: E) => Partial<E['status']> | undefined,
): Promise<E> {
  return store.update(ref.id, (current) => {
    if (!isCurrent(current, ref)) throw stale(ref);
    const found = isFinal(current.status.state) ? undefined : facts(current);
    return found && { ...current, status: { ...current.status, ...found } };
  });
}

/** The resource in another state; `undefined` when it is there already, or further. */
function moved<E extends RunResource<RunStatus>>(
  current: E,
  state: RunState,
  patch: Partial<RunStatus>,
  now: () => Date,
): E | undefined {
  const { status } = current;
  if (status.state === state || !mayFollow(status.state, state)) return undefined;
  const transitions = [...status.transitions, { state, at: now().toISOString() }];
  return { ...current, status: { ...status, ...patch, state, transitions } };
}

/** Another run owns the document, or it was removed. */
export function stale({ id, generation }: RunRef): SlipwayError {
  return new SlipwayError('stale_generation', `generation ${generation} of "${id}" is not the current one`);
}

/** A late start, or a reset in Temporal. The code is that of a stale run: it changes nothing, and is no reason to alert. */
function ended({ id, generation }: RunRef, state: RunState): SlipwayError {
  const what = `generation ${generation} of "${id}" ended as ${state} and is not run again`;
  return new SlipwayError('stale_generation', `${what}: change its spec, or create it under another id`);
}

interface RunEnd {
  kind: JobKind;
  ref: RunRef;
  failure: Failure;
  now: () => Date;
}

/**
 * The final status of a failed run, then the end of its log: who waits on the log reads the resource after it. A run
 * whose resource was removed or changed meanwhile has nothing to tell.
 */
export async function recordEnd<Status extends RunStatus, E extends RunResource<Status>>(
  store: ResourceStore<E>,
  logs: LogStore,
  { kind, ref, failure, now }: RunEnd,
): Promise<void> {
  const log = await logs.writer(logPrefix(kind, ref));
  const patch = { ...failure, logTail: await log.tail(), finishedAt: now().toISOString() };
  if (isCurrent(await store.get(ref.id), ref)) {
    await advance<Status, E>(store, ref, 'failed', patch as Partial<Status>, now);
  }
  const { reason, message, exitCode } = failure;
  await log.finish({ exitCode, failure: `${reason}: ${message.replace(/\s*\n\s*/g, ' ')}` });
}
