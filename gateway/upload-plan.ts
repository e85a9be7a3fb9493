import { indexPath, isIndexPath } from '../lifecycle/stores/record-index.js';
import { SPOOL_PART } from '../lifecycle/stores/record-path.js';
import { RETENTION_DAYS } from '../lifecycle/stores/record-retention.js';
import { decodeFrame } from './frame.js';
import { type SpoolFile, toIndexFile } from './index-file.js';
import { toRecords } from './records.js';
import type { PlannedObject, UploadState } from './upload-state.js';

export interface UploadChunk {
  frames: readonly Buffer[];
  /** Bytes of the segment before the chunk. */
  offset: number;
  chunkBytes: number;
  chunkMs: number;
  now: number;
  /** Upload the chunk also when it is small and young. */
  force: boolean;
}

/** Plans the upload of a chunk. @returns undefined while the chunk is empty or not due */
export function planUpload({ frames, offset, chunkBytes, chunkMs, now, force }: UploadChunk): UploadState | undefined {
  const [oldest] = frames;
  if (oldest === undefined) return undefined;
  const bytes = frames.reduce((sum, frame) => sum + frame.length, 0);
  if (!force && bytes < chunkBytes && now - decodeFrame(oldest).head.at < chunkMs) return undefined;
  const paths = [...groupLines(frames).keys(), indexPath(now)];
  return { offset, plan: { to: offset + bytes, objects: paths.map((path) => ({ path, n: 0 })) } };
}

/** The key of a planned object below `root`. */
export const keyOf = (root: string, { path, n }: PlannedObject): string =>
  `${root}${path}_${n}.${isIndexPath(path) ? 'idx' : 'json'}`;

interface PlannedChunk {
  frames: readonly Buffer[];
  objects: readonly PlannedObject[];
  /** `<segment>:<from>-<to>` */
  range: string;
  root: string;
}

/**
 * The files of a planned chunk.
 * @returns the file of one of its objects, tied to the range; undefined when the frames have no record for it. The index
 *   must come last: it holds the keys that the other objects have then
 */
export function createChunkFiles({ frames, objects, range, root }: PlannedChunk) {
  const groups = groupLines(frames);
  const indexFile = () => toIndexFile(frames, new Map(objects.map((each) => [each.path, keyOf(root, each)])), range);
  return ({ path }: PlannedObject): SpoolFile | undefined => {
    const file = isIndexPath(path) ? indexFile() : toRecordFile(groups.get(path));
    return file && { ...file, metadata: { ...file.metadata, [SPOOL_PART]: range } };
  };
}

interface Group {
  lines: string[];
  /** The shortest time that one of its records asks for; infinite when none does. */
  days: number;
}

function toRecordFile(group: Group | undefined): SpoolFile | undefined {
  if (group === undefined) return undefined;
  const { lines, days } = group;
  const metadata: Record<string, string> = days === Infinity ? {} : { [RETENTION_DAYS]: String(days) };
  return { body: Buffer.from(`${lines.join('\n')}\n`), contentType: 'application/x-ndjson', metadata };
}

function groupLines(frames: readonly Buffer[]): Map<string, Group> {
  const groups = new Map<string, Group>();
  for (const frame of frames.map(decodeFrame)) {
    const { retentionDays = Infinity } = frame.head;
    for (const { path, json } of toRecords(frame)) {
      const group = groups.get(path) ?? { lines: [], days: Infinity };
      group.lines.push(json);
      group.days = Math.min(group.days, retentionDays);
      groups.set(path, group);
    }
  }
  return groups;
}
