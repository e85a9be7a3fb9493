import { randomUUID } from 'node:crypto';
import type { AnyResource } from '../../platform/kinds/resource.js';

type ServerFields = Pick<
  AnyResource,
  'uid' | 'generation' | 'revision' | 'createdAt' | 'updatedAt' | 'createdBy' | 'updatedBy'
>;

/** The first values of the server fields of a new resource. */
export function newResourceFields({ at, actor }: { at: string; actor: string }): ServerFields {
  const by = { createdAt: at, updatedAt: at, createdBy: actor, updatedBy: actor };
  return { uid: randomUUID(), generation: 1, revision: 1, ...by };
}
