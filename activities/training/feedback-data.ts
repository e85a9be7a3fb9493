import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type FeedbackBinding, resolveWindow } from '../../lifecycle/kinds/feedback-binding.js';
import type { FeedbackCounts } from '../../lifecycle/kinds/feedback-window.js';
import { parseDuration } from '../../platform/kinds/duration.js';
import type { RunRef } from '../../platform/kinds/ids.js';
import type { FeedbackData, Training, TrainingData, TrainingSpec } from '../../lifecycle/kinds/training.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { joinFeedback } from '../../lifecycle/stores/feedback-join.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import { writeRows, writeTable } from './feedback-file.js';
import { noteFacts } from '../shared/status.js';
import { copyFailed, withScratchFolder } from './workspace.js';

export interface FeedbackDataDeps {
  trainings: ResourceStore<Training>;
  /** The platform's bucket: the rows made of records. */
  objects: ObjectStore;
  /** Where the records are; by default in the platform's bucket. */
  recordObjects?: ObjectStore;
  /** Key prefix of inference records. */
  recordPrefix: string;
}

/** The data bindings of a run, resolved once at its start. */
export async function resolveData(trainings: ResourceStore<Training>, ref: RunRef, now: () => Date): Promise<Training> {
  const start = now();
  return noteFacts(trainings, ref, ({ spec, status }) =>
    status.data === undefined && spec.data.length > 0 ? { data: toData(spec.data, start) } : undefined,
  );
}

function toData(bindings: TrainingSpec['data'], start: Date): TrainingData[] {
  return bindings.map(({ localPath, feedback }) => {
    if (feedback === undefined) return { localPath };
    const { from, to, asOf } = resolveWindow(feedback, start);
    const [fromText = '', toText = '', asOfText = ''] = [from, to, asOf].map((at) => new Date(at).toISOString());
    return { localPath, feedback: { from: fromText, to: toText, asOf: asOfText } };
  });
}

interface PrepareOptions {
  ref: RunRef;
  now: () => Date;
  signal: AbortSignal;
  /** A line for the log of the run. */
  say: (line: string) => void;
}

/**
 * Makes the rows of every feedback binding that has none yet, and notes each in the status as it is there: an attempt
 * that comes after finds the same rows, and nothing is stored twice, because an object's key is its content's digest.
 * @throws run_failed, reason DataCopyFailed, when there is no row
 */
export async function prepareFeedback(deps: FeedbackDataDeps, options: PrepareOptions): Promise<Training> {
  let training = await resolveData(deps.trainings, options.ref, options.now);
  for (const [index, { feedback: binding }] of training.spec.data.entries()) {
    const feedbackOf = ({ status }: Training): FeedbackData | undefined => status.data?.[index]?.feedback;
    const resolved = feedbackOf(training);
    if (binding === undefined || resolved === undefined) continue;
    if (resolved.key === undefined) {
      const made = await makeRows(deps, binding, resolved, options.signal);
      training = await noteFacts(deps.trainings, options.ref, (current) => {
        if (feedbackOf(current)?.key !== undefined) return undefined; // another attempt was faster
        return { data: current.status.data?.map((each, at) => (at === index ? { ...each, ...made } : each)) };
      });
    }
    const { from, to, counts } = feedbackOf(training) ?? resolved;
    options.say(`INFO feedback on ${nameOf(binding)}, calls from ${from} to ${to}: ${describe(counts)}`);
  }
  return training;
}

async function makeRows(
  { objects, recordObjects = objects, recordPrefix }: FeedbackDataDeps,
  binding: FeedbackBinding,
  resolved: FeedbackData,
  signal: AbortSignal,
): Promise<Pick<TrainingData, 'digest' | 'feedback'>> {
  return withScratchFolder(async (folder) => {
    const scratch = join(folder, 'join');
    await mkdir(scratch);
    const [from, to, asOf] = [resolved.from, resolved.to, resolved.asOf].map((time) => Date.parse(time));
    const window = { from: from ?? 0, to: to ?? 0, asOf: asOf ?? 0, withinMs: parseDuration(binding.within) ?? 0 };
    const model = { name: binding.model, version: binding.version };
    const { rows, counts } = joinFeedback({
      ...{ objects: recordObjects, prefix: recordPrefix, model, window, scratch, signal },
    });
    const rowsFile = join(folder, 'rows.ndjson');
    await writeRows(rows, rowsFile);
    if (counts.joined === 0 && !binding.allowEmpty) {
      throw copyFailed(
        `no call of ${nameOf(binding)} from ${resolved.from} to ${resolved.to} has feedback: ${describe(counts)}`,
      );
    }
    const file = binding.format === 'csv' ? join(folder, 'rows.csv') : rowsFile;
    if (binding.format === 'csv') await writeTable(rowsFile, file);
    const digest = await digestOf(file);
    const key = `feedback-data/sha256/${digest}.${binding.format}`;
    const contentType = binding.format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson';
    await objects.put(key, createReadStream(file), { ifAbsent: true, contentType });
    return { digest, feedback: { ...resolved, key, sizeBytes: (await stat(file)).size, counts } };
  });
}

const nameOf = ({ model, version }: FeedbackBinding): string =>
  version === undefined ? `model "${model}"` : `model "${model}" version "${version}"`;

function describe(counts: FeedbackCounts | undefined): string {
  const { joined = 0, unanswered = 0, orphaned = 0, late = 0, replaced = 0, dropped = 0 } = counts ?? {};
  return (
    `${joined} rows; ${unanswered} calls without feedback; feedback without a call ${orphaned}, ` +
    `too late ${late}, replaced ${replaced}; records dropped ${dropped}`
  );
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
