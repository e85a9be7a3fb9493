import { kindLogPrefix, type RunKind } from '../../platform/kinds/ids.js';
import { mapSome } from '../../platform/kinds/map-some.js';
import type { AnyResource } from '../../platform/kinds/resource.js';
import type { ObjectInfo, ObjectStore } from '../../platform/stores/objects.js';
import type { ResourceStore } from '../../platform/stores/resources.js';

export interface LogRetentionOptions {
  objects: ObjectStore;
  entities: Pick<ResourceStore<AnyResource>, 'get'>;
  kind: RunKind;
}

/** Most objects that one call looks for: a round goes on to other work in between. */
const MOST = 2_000;
const AT_ONCE = 16;

/**
 * Removes whole logs to which nothing was written since a time: of runs that ended, and of generations before the last
 * two, for a deployment may serve with the one before. A log is never cut: readers begin at its first line.
 * @returns how many objects were removed; fewer than are due when there are many
 */
export async function removeOldLogs({ objects, entities, kind }: LogRetentionOptions, before: Date): Promise<number> {
  const due: string[] = [];
  for await (const log of logsOf(objects.list(kindLogPrefix(kind)))) {
    if (log.some(({ updatedAt }) => updatedAt >= before.toISOString())) continue;
    const keys = log.map(({ key }) => key);
    if (!keys.some((key) => key.endsWith('/done.json')) && (await mayBeWritten(entities, keys[0] ?? ''))) continue;
    due.push(...keys);
    if (due.length >= MOST) break;
  }
  await mapSome(due, AT_ONCE, (key) => objects.remove(key));
  return due.length;
}

/** Lists are in the order of keys, so that the objects of a log follow each other. */
async function* logsOf(infos: AsyncIterable<ObjectInfo>): AsyncGenerator<ObjectInfo[]> {
  let log: ObjectInfo[] = [];
  const folder = (info: ObjectInfo | undefined) => info?.key.slice(0, info.key.lastIndexOf('/'));
  for await (const info of infos) {
    if (log.length > 0 && folder(info) !== folder(log[0])) {
      yield log;
      log = [];
    }
    log.push(info);
  }
  if (log.length > 0) yield log;
}

async function mayBeWritten(entities: LogRetentionOptions['entities'], key: string): Promise<boolean> {
  const [, , id = '', uid, generation] = key.split('/');
  const current = await entities.get(id);
  return current !== undefined && current.uid === uid && Number(generation) >= current.generation - 1;
}
