import type { FeedbackCounts, FeedbackWindow } from '../kinds/feedback-window.js';
import { membersOf } from '../../platform/kinds/raw-json.js';
import type { FeedbackModel } from './feedback-meter.js';
import { createIdFilter, type IdFilter } from './id-filter.js';
import { hashId } from './index-file.js';
import { listRecords } from './inference-records.js';
import type { ObjectInfo, ObjectStore } from '../../platform/stores/objects.js';
import { type JoinedRow, joinPartition, type Spilled } from './partition-join.js';
import { createPartitions, type Partitions } from './partitions.js';
import { type RecordLine, readRecords } from './record-lines.js';
import { parseTime, type RecordTag } from './record-path.js';

export interface JoinOptions {
  objects: Pick<ObjectStore, 'list' | 'open'>;
  /** Key prefix of inference records. */
  prefix: string;
  model: FeedbackModel;
  window: FeedbackWindow;
  /** An empty folder for what does not fit into memory. */
  scratch: string;
  signal: AbortSignal;
  /** Bytes that are joined at once; memory is a small multiple of it. */
  partBytes?: number;
}

const SMALLEST_FEEDBACK_BYTES = 130; // a record with an empty payload

/**
 * Joins calls and feedback by request id in bounded memory: everything is read once, what can belong together is put
 * on disk by the hash of its id, and joined part by part. Rows come in the order of these hashes, whatever the parts
 * were: equal records give equal rows.
 *
 * The last of several feedback records on one call counts, and the last of several calls with one id. A call counts if it
 * was answered with a 2xx status.
 * @returns `counts`: complete when the last row was read
 */
export function joinFeedback(options: JoinOptions): { rows: AsyncGenerator<JoinedRow>; counts: FeedbackCounts } {
  const counts: FeedbackCounts = { joined: 0, orphaned: 0, unanswered: 0, late: 0, replaced: 0, dropped: 0 };
  return { rows: joinRows(options, counts), counts };
}

async function* joinRows(options: JoinOptions, counts: FeedbackCounts): AsyncGenerator<JoinedRow> {
  const { objects, prefix, model, window, scratch, signal, partBytes } = options;
  const { from, to, asOf, withinMs } = window;
  if (to <= from) return;
  const list = (tag: RecordTag, until: number) =>
    collect(listRecords(objects, prefix, { tag, model, from, to: until }));
  const feedbackFiles = await list('feedback', Math.min(to + withinMs, asOf + 1));
  const requestFiles = await list('request_response', to);
  const responseFiles = await list('response_body', to);
  const expectedBytes = sizeOf([...feedbackFiles, ...requestFiles, ...responseFiles]);
  const partitions = createPartitions({ folder: scratch, expectedBytes, partBytes });
  const known = createIdFilter(sizeOf(feedbackFiles) / SMALLEST_FEEDBACK_BYTES);
  const read = (files: readonly ObjectInfo[], take: Take) => readFiles({ objects, signal }, files, counts, take);

  await read(feedbackFiles, takeFeedback(partitions, known, window));
  await read(requestFiles, takeRequest(partitions, known, window));
  await read(responseFiles, takeResponse(partitions, known, window));
  for await (const partition of partitions.parts()) {
    signal.throwIfAborted();
    yield* joinPartition(partition, window, counts);
  }
}

/** Puts a record where its call is joined, if it is of use. @returns false when it is no record of its kind */
type Take = (record: { id: string; at: number; hash: Buffer; line: RecordLine }) => Promise<boolean>;

async function readFiles(
  { objects, signal }: Pick<JoinOptions, 'objects' | 'signal'>,
  files: readonly ObjectInfo[],
  counts: FeedbackCounts,
  take: Take,
): Promise<void> {
  for (const { key } of files) {
    signal.throwIfAborted();
    for await (const line of readRecords(objects, key)) {
      const id = line?.fields.request_id;
      const at = parseTime(line?.fields.time);
      const known = line !== undefined && typeof id === 'string' && at !== undefined;
      if (!known || !(await take({ id, at, hash: hashId(id), line }))) counts.dropped += 1;
    }
  }
}

function takeFeedback(partitions: Partitions, known: IdFilter, { from, asOf }: FeedbackWindow): Take {
  return async ({ id, at, hash, line }) => {
    const feedback = membersOf(membersOf(line.text)?.get('payload') ?? '')?.get('json');
    if (feedback === undefined) return false;
    if (at < from || at > asOf) return true;
    known.add(hash);
    await partitions.add(hash, { kind: 'feedback', id, at, feedback } satisfies Spilled);
    return true;
  };
}

function takeRequest(partitions: Partitions, known: IdFilter, { from, to }: FeedbackWindow): Take {
  return async ({ id, at, hash, line: { fields } }) => {
    const { request_content: content, response_status: status, model_name: name, model_version: version } = fields;
    if (typeof content !== 'string' || typeof name !== 'string' || typeof version !== 'string') return false;
    if (at < from || at >= to || !/^2\d\d$/.test(String(status))) return true;
    await partitions.note(hash);
    if (!known.has(hash)) return true;
    const types = { request: typeOf(fields.request_http_headers), response: typeOf(fields.response_http_headers) };
    const call = { name, version, status: Number(status), content, types };
    await partitions.add(hash, { kind: 'request', id, at, ...call } satisfies Spilled);
    return true;
  };
}

function takeResponse(partitions: Partitions, known: IdFilter, { from, to }: FeedbackWindow): Take {
  return async ({ id, at, hash, line: { fields } }) => {
    const content = fields.response_content;
    if (typeof content !== 'string') return false;
    if (at < from || at >= to || !known.has(hash)) return true;
    await partitions.add(hash, { kind: 'response', id, at, content } satisfies Spilled);
    return true;
  };
}

/** The content type among recorded headers, whose names are as they were sent. */
function typeOf(headers: unknown): string {
  if (typeof headers !== 'object' || headers === null) return '';
  const found = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type');
  return String(found?.[1] ?? '');
}

const sizeOf = (files: readonly ObjectInfo[]): number => files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
