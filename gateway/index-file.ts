import { encodeIndex, hashId, type IndexEntry, type IndexRow } from '../lifecycle/stores/index-file.js';
import { indexMetadata } from '../lifecycle/stores/index-reader.js';
import { decodeFrame, type FrameHead } from './frame.js';
import { recordPath } from './records.js';

/** A file that the uploader stores. */
export interface SpoolFile {
  body: Buffer;
  contentType: string;
  metadata: Record<string, string>;
}

/**
 * The part of the index for one uploaded part of the spool.
 * @param keys the stored objects, by what their counter is appended to
 */
export function toIndexFile(frames: readonly Buffer[], keys: ReadonlyMap<string, string>, part: string): SpoolFile {
  const rows = new Map<string, { row: IndexRow; number: number }>();
  const entries: IndexEntry[] = [];
  for (const { head } of frames.map(decodeFrame)) {
    const fresh = toRow(head, keys, part);
    const name = JSON.stringify(fresh);
    const known = rows.get(name) ?? { row: fresh, number: rows.size };
    rows.set(name, known);
    known.row.records += 1;
    entries.push({ hash: hashId(head.requestId), at: head.at, row: known.number });
  }
  const { body, entryBytes } = encodeIndex({ entries, rows: [...rows.values()].map(({ row }) => row) });
  return { body, contentType: 'application/octet-stream', metadata: indexMetadata(entryBytes) };
}

function toRow(head: FrameHead, keys: ReadonlyMap<string, string>, part: string): IndexRow {
  const model = { model: head.modelName, version: head.modelVersion, records: 0, part };
  const keyOf = (tag: 'feedback' | 'response_body'): string => keys.get(recordPath(tag, head)) ?? '';
  if (head.kind === 'feedback') return { kind: 'feedback', ...model, key: keyOf('feedback') };
  const { deployment, deploymentUid, imageId } = head;
  const generation = Number(head.revision);
  return { kind: 'call', ...model, deployment, deploymentUid, generation, imageId, key: keyOf('response_body') };
}
