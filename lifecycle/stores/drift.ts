import { errorsOf } from '../kinds/drift.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { valueAt } from '../../platform/kinds/json-pointer.js';
import type { Drift, DriftQuestion } from './feedback-meter.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import type { Finding } from './findings.js';
import type { RecordIndex } from './record-index.js';
import { HOUR_MS, parseTime } from './record-path.js';
import { type RecordLine, readRecords } from './record-lines.js';

/** The values of one feedback record. */
export interface Outcome {
  /** When the feedback was sent; milliseconds since 1970. */
  at: number;
  /** One error per pair; none when the call is not known or the two cannot be compared. */
  errors: number[];
  orphaned: boolean;
}

/** Outcomes of a part of the window. */
export interface DriftBucket {
  at: number;
  samples: number;
  sum: number;
  orphaned: number;
  dropped: number;
}

interface Feedback {
  at: number;
  truth: unknown;
}

/** Later feedback says nothing about the model that serves. */
const LATEST_MS = 7 * 24 * HOUR_MS;
const BUCKETS = 60;
const SHORTEST_BUCKET_MS = 60_000;

/** Reads one feedback file and holds it against the responses that it is about. */
export function createDriftReader({ objects, index }: { objects: Pick<ObjectStore, 'open'>; index: RecordIndex }) {
  return async function* readErrors(key: string, question: DriftQuestion): AsyncGenerator<Outcome> {
    const feedback = await readFeedback(key, question);
    if (feedback.size === 0) return;
    const since = [...feedback.values()].reduce((oldest, { at }) => Math.min(oldest, at), Infinity) - LATEST_MS;
    const found = await index.find([...feedback.keys()], { since, lastCall: true });
    const byResponses = new Map<string, string[]>();
    for (const [id, { at }] of feedback) {
      const findings = (found.get(id) ?? []).filter(({ row }) => row.model === question.model.name);
      if (!isFirst(findings, key)) continue;
      const call = findings.findLast(({ row, at: called }) => row.kind === 'call' && called < at + 1_000);
      if (call === undefined || at - call.at > LATEST_MS) yield { at, errors: [], orphaned: true };
      else byResponses.set(call.row.key, [...(byResponses.get(call.row.key) ?? []), id]);
    }
    for (const [responses, ids] of byResponses) {
      const predictions = await readPredictions(responses, new Set(ids), question.prediction);
      for (const id of ids) {
        const { at, truth } = feedback.get(id) ?? { at: 0, truth: undefined };
        const errors = errorsOf(question.measure, predictions.get(id), truth) ?? [];
        yield { at, errors, orphaned: false };
      }
    }
  };

  /** Nothing when the bucket does not keep it any more. */
  async function* readKept(key: string): AsyncGenerator<RecordLine | undefined> {
    try {
      yield* readRecords(objects, key);
    } catch (err) {
      if (!(err instanceof SlipwayError) || err.code !== 'not_found') throw err;
    }
  }

  async function readFeedback(key: string, { truth }: DriftQuestion): Promise<Map<string, Feedback>> {
    const feedback = new Map<string, Feedback>();
    for await (const line of readKept(key)) {
      const { request_id: id, time, payload } = line?.fields ?? {};
      const at = parseTime(time);
      if (typeof id !== 'string' || at === undefined || feedback.has(id)) continue;
      feedback.set(id, { at, truth: valueAt(payload, `/json${truth}`) });
    }
    return feedback;
  }

  async function readPredictions(
    key: string,
    ids: ReadonlySet<string>,
    pointer: string,
  ): Promise<Map<string, unknown>> {
    const predictions = new Map<string, unknown>();
    for await (const line of readKept(key)) {
      const { request_id: id, response_content: content } = line?.fields ?? {};
      if (typeof id === 'string' && ids.has(id)) predictions.set(id, valueAt(parseJson(content), pointer));
    }
    return predictions;
  }
}

/** A correction that came in a later upload does not count again. */
function isFirst(findings: readonly Finding[], key: string): boolean {
  const first = findings.find(({ row }) => row.kind === 'feedback');
  return first === undefined || first.row.key === key;
}

function parseJson(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Adds an outcome to the bucket of its time. */
export function addError(buckets: DriftBucket[], { at, errors, orphaned }: Outcome, windowMs: number): void {
  const width = Math.max(SHORTEST_BUCKET_MS, windowMs / BUCKETS);
  const start = Math.floor(at / width) * width;
  const index = buckets.findIndex((bucket) => bucket.at === start);
  const bucket = buckets[index] ?? { at: start, samples: 0, sum: 0, orphaned: 0, dropped: 0 };
  const added = {
    at: start,
    samples: bucket.samples + errors.length,
    sum: bucket.sum + errors.reduce((sum, error) => sum + error, 0),
    orphaned: bucket.orphaned + Number(orphaned),
    dropped: bucket.dropped + Number(!orphaned && errors.length === 0),
  };
  if (index < 0) buckets.push(added);
  else buckets[index] = added;
}

export function sumBuckets(buckets: readonly DriftBucket[]): Drift {
  const total = { samples: 0, sum: 0, orphaned: 0, dropped: 0 };
  for (const { samples, sum, orphaned, dropped } of buckets) {
    total.samples += samples;
    total.sum += sum;
    total.orphaned += orphaned;
    total.dropped += dropped;
  }
  const { sum, ...drift } = total;
  return { error: drift.samples === 0 ? undefined : sum / drift.samples, ...drift };
}
