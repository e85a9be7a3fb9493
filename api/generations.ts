import { isDeepStrictEqual } from 'node:util';
import type { AnyEntity, Entity, Kind } from '../resources/entity.js';
import type { RunRef } from '../resources/ids.js';
import type { Caller } from './caller.js';

/** Effects of every write: the clock, and ids that nobody can guess. */
export interface Making {
  now: () => Date;
  newId: () => string;
}

interface Wanted<Spec, Status> {
  kind: Kind;
  id: string;
  spec: Spec;
  status: Status;
}

/** A new entity, as its store takes it. */
export function firstGeneration<Spec, Status>(
  { kind, id, spec, status }: Wanted<Spec, Status>,
  { sub }: Pick<Caller, 'sub'>,
  { now, newId }: Making,
): Entity<Spec, Status> {
  const at = now().toISOString();
  return {
    ...{ kind, id, uid: newId(), spec, status, generation: 1, revision: 1 },
    ...{ createdAt: at, updatedAt: at, createdBy: sub, updatedBy: sub },
  };
}

/** The entity with a new spec, or `undefined` when the spec is the same: an identical PUT changes nothing. */
export function nextGeneration<E extends AnyEntity>(
  current: E,
  { spec, status }: Pick<E, 'spec' | 'status'>,
  { sub }: Pick<Caller, 'sub'>,
  { now }: Pick<Making, 'now'>,
): E | undefined {
  if (isSameJson(current.spec, spec)) return undefined;
  return { ...runAgain(current, status), spec, updatedAt: now().toISOString(), updatedBy: sub };
}

/** The same spec for another run: nobody owns or cancels the new generation yet. */
export function runAgain<E extends AnyEntity>(current: E, status: E['status']): E {
  const { claimedBy: _claimedBy, cancelRequestedAt: _cancelRequestedAt, ...rest } = current;
  // Without the two marks, which are optional in every entity, it still is one.
  return { ...(rest as E), status, generation: current.generation + 1 };
}

/** Whether both are stored alike: a field that is `undefined` is not stored at all. */
export const isSameJson = (one: unknown, other: unknown): boolean => isDeepStrictEqual(asStored(one), asStored(other));

const asStored = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

export const toRef = ({ id, uid, generation }: AnyEntity): RunRef => ({ id, uid, generation });
