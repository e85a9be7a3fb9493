import { resourceLogPrefix, type RunKind } from '../../platform/kinds/ids.js';
import type { AnyResource } from '../../platform/kinds/resource.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { ObjectStore } from '../../platform/stores/objects.js';

export interface LogUpkeepOptions {
  objects: ObjectStore;
  entities: Pick<ResourceStore<AnyResource>, 'get'>;
  kind: RunKind;
}

/** Removes the logs of every entity that had this id, except the one that has it now. @returns how many objects */
export async function removeOrphanedLogs({ objects, entities, kind }: LogUpkeepOptions, id: string): Promise<number> {
  const found: string[] = [];
  for await (const { key } of objects.list(resourceLogPrefix(kind, { id }))) found.push(key);
  if (found.length === 0) return 0;
  // Read after the list: so the logs of an entity created meanwhile are recognized as current.
  const current = await entities.get(id);
  const kept = current && resourceLogPrefix(kind, current);
  const orphaned = found.filter((key) => kept === undefined || !key.startsWith(kept));
  for (const key of orphaned) await objects.remove(key);
  return orphaned.length;
}
