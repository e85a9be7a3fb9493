import { randomUUID } from 'node:crypto';
import type { AnyResource } from '../../platform/kinds/resource.js';

type Beginning = Pick<
  AnyResource,
  'uid' | 'generation' | 'revision' | 'createdAt' | 'updatedAt' | 'createdBy' | 'updatedBy'
>;

/** What every new entity begins with. */
export function beginEntity({ at, actor }: { at: string; actor: string }): Beginning {
  const by = { createdAt: at, updatedAt: at, createdBy: actor, updatedBy: actor };
  return { uid: randomUUID(), generation: 1, revision: 1, ...by };
}
