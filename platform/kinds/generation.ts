import { isDeepStrictEqual } from 'node:util';
import type { AnyResource } from './resource.js';
import type { RunRef } from './ids.js';

/** The same spec for another run: the new generation has no owner and no cancellation yet. */
export function runAgain<E extends AnyResource>(current: E, status: E['status']): E {
  const { claimedBy: _claimedBy, cancelRequestedAt: _cancelRequestedAt, ...rest } = current;
  // Without the two marks, which are optional in every resource, it still is one.
  return { ...(rest as E), status, generation: current.generation + 1 };
}

/** Whether both are stored alike: a field that is `undefined` is not stored at all. */
export const isSameJson = (one: unknown, other: unknown): boolean => isDeepStrictEqual(asStored(one), asStored(other));

const asStored = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

export const toRef = ({ id, uid, generation }: RunRef): RunRef => ({ id, uid, generation });
