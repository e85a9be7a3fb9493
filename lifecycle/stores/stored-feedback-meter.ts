import { createHash } from 'node:crypto';
import { collections } from '../../platform/stores/collections.js';
import type { Database, Row } from '../../platform/stores/database.js';
import { addError, createDriftReader, type DriftBucket, sumBuckets } from './drift.js';
import type { Drift, DriftQuestion, FeedbackMeter, FeedbackModel } from './feedback-meter.js';
import type { FeedbackRow, IndexRow } from './index-file.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import type { RecordIndex, UploadedPart } from './record-index.js';
import { HOUR_MS } from './record-path.js';
import { newUploads, pass, type UploadProgress } from './upload-progress.js';

interface CountRow extends Row {
  progress: UploadProgress;
  /** By version. */
  totals: Record<string, number>;
}
interface DriftRow extends Row {
  progress: UploadProgress;
  buckets: DriftBucket[];
}

export interface FeedbackMeterOptions {
  database: Database;
  objects: Pick<ObjectStore, 'open'>;
  index: RecordIndex;
  /** Feedback is held against calls when its upload is so old: the call may have gone through another gateway. */
  settleMs?: number;
  now?: () => number;
}

const FIRST_LOOK_MS = 24 * HOUR_MS;
const LONGEST_WINDOW_MS = 31 * 24 * HOUR_MS;

/**
 * Each row is a snapshot: the uploads that were read, and what they summed up to. So two who ask at once may both write
 * theirs, and whichever stays is true of its own progress.
 */
export function createFeedbackMeter({
  database,
  objects,
  index,
  settleMs = 120_000,
  now = Date.now,
}: FeedbackMeterOptions): FeedbackMeter {
  const counts = database.table<CountRow>(collections.feedbackCount);
  const drifts = database.table<DriftRow>(collections.feedbackDrift);
  const readErrors = createDriftReader({ objects, index });
  const hourAgo = (ms: number): number => Math.floor((now() - ms) / HOUR_MS) * HOUR_MS;

  /** The count of a model begins with the first question about it: what was uploaded before is not in it. */
  async function firstCount(name: string): Promise<CountRow> {
    let progress: UploadProgress = { since: hourAgo(HOUR_MS), seen: {} };
    for (const upload of await newUploads(index, progress)) progress = pass(progress, upload, now());
    const row = { _id: name, progress, totals: {} };
    return (await counts.insert(row)) ? row : ((await counts.get(name)) ?? row);
  }

  async function countAll(name: string): Promise<CountRow> {
    let row = (await counts.get(name)) ?? (await firstCount(name));
    const fresh = await newUploads(index, row.progress);
    for (const upload of fresh) {
      const totals = { ...row.totals };
      for (const { version, records } of feedbackOn({ name }, await upload.rows())) {
        totals[version] = (totals[version] ?? 0) + records;
      }
      row = { ...row, totals, progress: pass(row.progress, upload, now()) };
    }
    if (fresh.length > 0) await counts.put(row);
    return row;
  }

  async function countUploaded(model: FeedbackModel, since: Date): Promise<number> {
    let count = 0;
    for await (const { uploadedAt, rows } of index.parts(since.getTime() - HOUR_MS)) {
      if (Date.parse(uploadedAt) < since.getTime()) continue;
      for (const { records } of feedbackOn(model, await rows())) count += records;
    }
    return count;
  }

  async function addUpload(row: DriftRow, upload: UploadedPart, question: DriftQuestion): Promise<DriftRow> {
    const buckets = [...row.buckets];
    for (const { key } of feedbackOn(question.model, await upload.rows())) {
      for await (const outcome of readErrors(key, question)) addError(buckets, outcome, question.windowMs);
    }
    return { ...row, buckets, progress: pass(row.progress, upload, now()) };
  }

  return {
    async countSince(model, since) {
      const { totals } = await countAll(model.name);
      const all = Object.values(totals).reduce((sum, count) => sum + count, 0);
      const position = model.version === undefined ? all : (totals[model.version] ?? 0);
      if (since === undefined) return { count: 0, position };
      const count = since instanceof Date ? await countUploaded(model, since) : position - since;
      return { count: Math.max(0, count), position };
    },

    async drift(question): Promise<Drift> {
      const window = Math.min(question.windowMs, LONGEST_WINDOW_MS);
      const first = { since: hourAgo(Math.min(window, FIRST_LOOK_MS)), seen: {} };
      const id = nameOf(question);
      let row: DriftRow = (await drifts.get(id)) ?? { _id: id, progress: first, buckets: [] };
      for (const upload of await newUploads(index, row.progress, now() - settleMs)) {
        const found = await addUpload(row, upload, question);
        // Each upload is a step of its own: who is interrupted in a long first look goes on from here.
        row = { ...found, buckets: found.buckets.filter(({ at }) => at > now() - window) };
        await drifts.put(row);
      }
      return sumBuckets(row.buckets.filter(({ at }) => at > now() - window));
    },
  };
}

function feedbackOn({ name, version }: FeedbackModel, rows: readonly IndexRow[]): FeedbackRow[] {
  return rows.filter(
    (row): row is FeedbackRow =>
      row.kind === 'feedback' && row.model === name && (version === undefined || row.version === version),
  );
}

/** Equal questions share their row. */
function nameOf({ model, windowMs, measure, prediction, truth }: DriftQuestion): string {
  const parts = [model.name, model.version ?? null, windowMs, measure, prediction, truth];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
