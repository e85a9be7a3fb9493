import type { FeedbackModel } from './feedback-meter.js';
import type { ObjectInfo, ObjectStore } from '../../platform/stores/objects.js';
import { counterOf, HOUR_MS, hourPath, modelFolder, type RecordTag, recordRoot, versionFolder } from './record-path.js';

export interface RecordQuery {
  tag: RecordTag;
  model: FeedbackModel;
  /** Milliseconds since 1970; whole hours, so more may come than was asked for. */
  from: number;
  to: number;
}

/** The record files of a model and a time, version by version, in the order in which they were written. */
export async function* listRecords(
  objects: Pick<ObjectStore, 'list'>,
  prefix: string,
  { tag, model, from, to }: RecordQuery,
): AsyncGenerator<ObjectInfo> {
  const root = recordRoot(prefix);
  const { name, version } = model;
  const folders =
    version === undefined
      ? listFolders(objects, `${root}${modelFolder(tag, name)}/`)
      : [`${root}${versionFolder(tag, name, version)}/`];
  for await (const folder of folders) {
    const last = Math.ceil(to / HOUR_MS) * HOUR_MS;
    const range = { from: `${folder}${hourPath(from)}`, to: `${folder}${hourPath(last)}` };
    let hour: ObjectInfo[] = [];
    for await (const file of objects.list(folder, range)) {
      if (hour[0] !== undefined && stem(hour[0]) !== stem(file)) {
        yield* inOrder(hour);
        hour = [];
      }
      hour.push(file);
    }
    yield* inOrder(hour);
  }
}

/** The folders directly below one, each found by one short list: what lies in them is skipped. */
async function* listFolders(objects: Pick<ObjectStore, 'list'>, parent: string): AsyncGenerator<string> {
  for (let from = parent; ;) {
    const first = await firstOf(objects.list(parent, { from }));
    if (first === undefined) return;
    const folder = first.key.slice(0, first.key.indexOf('/', parent.length) + 1);
    yield folder;
    from = `${folder.slice(0, -1)}0`; // "0" comes after "/"
  }
}

async function firstOf<T>(items: AsyncIterable<T>): Promise<T | undefined> {
  for await (const item of items) return item;
  return undefined;
}

const stem = ({ key }: ObjectInfo): string => key.slice(0, key.lastIndexOf('_'));
const inOrder = (files: ObjectInfo[]): ObjectInfo[] => files.sort((a, b) => counterOf(a.key) - counterOf(b.key));
