import { notFound, SlipwayError } from '../kinds/errors.js';
import type { PlatformEvent } from '../kinds/platform-event.js';
import type { AnyResource, Kind } from '../kinds/resource.js';
import { changeBetween, type Revision, revisionId } from './resource-log.js';

export interface ResourceWrite {
  kind: Kind;
  /** The resource before and after the write; a removal leaves none. */
  before: AnyResource | undefined;
  after: AnyResource | undefined;
  revision: number;
  /** When it was committed. */
  at: string;
}

/** The decision of a write on the newest revision. */
export interface WriteDecision<E, Result> {
  /** The resource to commit, `null` for a removal; `undefined`: nothing is to be committed. */
  entity: E | null | undefined;
  /** The result of the write once it is committed. */
  result: Result;
}

const revisionAfter = (current: Revision | undefined): number => (current?.revision ?? 0) + 1;

/** @throws already_exists */
export function decideInsert<E extends AnyResource>(current: Revision<E> | undefined, entity: E): WriteDecision<E, E> {
  if (current?.entity)
    throw new SlipwayError(
      'already_exists',
      `entity "${entity.id}" already exists: change it with PUT, or use another id`,
    );
  return { entity, result: { ...entity, revision: revisionAfter(current) } };
}

/** @throws not_found, and everything that `change` throws */
export function decideUpdate<E extends AnyResource>(
  current: Revision<E> | undefined,
  id: string,
  change: (current: E) => E | undefined,
): WriteDecision<E, E> {
  if (!current?.entity) throw notFound(id);
  const entity = change(structuredClone(current.entity));
  const result = entity === undefined ? current.entity : { ...entity, revision: revisionAfter(current) };
  return { entity, result };
}

export function decideRemoval<E extends AnyResource>(
  current: Revision<E> | undefined,
  only: (current: E) => boolean,
): WriteDecision<E, E | undefined> {
  const entity = current?.entity;
  if (!entity || !only(entity)) return { entity: undefined, result: undefined };
  return { entity: null, result: entity };
}

export interface NextRevision<E extends AnyResource> {
  kind: Kind;
  id: string;
  before: Revision<E> | undefined;
  /** The resource after the write; `null` for a removal. */
  entity: E | null;
  at: string;
  /** The token of this commit. */
  commit: string;
  toEvent: (write: ResourceWrite) => PlatformEvent | undefined;
}

/** The row whose insertion commits a write. */
export function nextRevision<E extends AnyResource>(write: NextRevision<E>): Revision<E> {
  const { kind, id, before, entity, at, commit, toEvent } = write;
  const revision = revisionAfter(before);
  const event = toEvent({ kind, before: before?.entity ?? undefined, after: entity ?? undefined, revision, at });
  return {
    _id: revisionId(id, revision),
    id,
    revision,
    change: changeBetween(before?.entity, entity),
    at,
    commit,
    entity: entity && { ...entity, revision },
    uid: (entity ?? before?.entity)?.uid,
    ...(event && { event }),
  };
}
