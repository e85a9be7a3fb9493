import type { AnyResource, Resource, Kind } from '../../platform/kinds/resource.js';
import { isSameJson, runAgain } from '../../platform/kinds/generation.js';
import type { Caller } from '../http/caller.js';

/** Effects of every write: the clock, and unguessable ids. */
export interface ResourceIdentity {
  now: () => Date;
  newId: () => string;
}

interface Wanted<Spec, Status> {
  kind: Kind;
  id: string;
  spec: Spec;
  status: Status;
}

/** A new resource, as its store takes it. */
export function firstGeneration<Spec, Status>(
  { kind, id, spec, status }: Wanted<Spec, Status>,
  { sub }: Pick<Caller, 'sub'>,
  { now, newId }: ResourceIdentity,
): Resource<Spec, Status> {
  const at = now().toISOString();
  return {
    ...{ kind, id, uid: newId(), spec, status, generation: 1, revision: 1 },
    ...{ createdAt: at, updatedAt: at, createdBy: sub, updatedBy: sub },
  };
}

/** The resource with a new spec, or `undefined` when the spec is the same: an identical PUT changes nothing. */
export function nextGeneration<E extends AnyResource>(
  current: E,
  { spec, status }: Pick<E, 'spec' | 'status'>,
  { sub }: Pick<Caller, 'sub'>,
  { now }: Pick<ResourceIdentity, 'now'>,
): E | undefined {
  if (isSameJson(current.spec, spec)) return undefined;
  return { ...runAgain(current, status), spec, updatedAt: now().toISOString(), updatedBy: sub };
}
