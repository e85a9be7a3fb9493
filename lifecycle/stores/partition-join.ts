import type { FeedbackCounts, FeedbackWindow } from '../kinds/feedback-window.js';
import { hashId } from './index-file.js';
import type { Partition } from './partitions.js';

/** A call with its feedback. `request`, `response` and `feedback` are JSON on one line, digit by digit as they came. */
export interface JoinedRow {
  requestId: string;
  modelName: string;
  modelVersion: string;
  /** When the call was answered and when the feedback came; milliseconds since 1970, in whole seconds. */
  at: number;
  feedbackAt: number;
  status: number;
  request: string;
  response: string;
  feedback: string;
}

/** Records that wait on disk to be joined. */
export type Spilled = SpilledFeedback | SpilledRequest | SpilledResponse;
interface SpilledFeedback {
  kind: 'feedback';
  id: string;
  at: number;
  feedback: string;
}
interface SpilledRequest {
  kind: 'request';
  id: string;
  at: number;
  name: string;
  version: string;
  status: number;
  content: string;
  types: { request: string; response: string };
}
interface SpilledResponse {
  kind: 'response';
  id: string;
  at: number;
  content: string;
}

/** Bodies are recorded up to here, and not within a character. */
const CUT_AT_BYTES = 1024 ** 2 - 3;

/** Joins what one part holds, in the order of the hashes. */
export async function* joinPartition(
  partition: Partition,
  window: FeedbackWindow,
  counts: FeedbackCounts,
): AsyncGenerator<JoinedRow> {
  const { feedback, requests, responses, replaced } = await load(partition);
  counts.replaced += replaced;
  let answered = 0;
  for (const said of inOrder(feedback)) {
    const request = requests.get(said.id);
    const response = responses.get(said.id);
    // The two records of one call bear the same time. An id that was used again names its last call.
    const isCall = request !== undefined && request.at === response?.at && request.at <= said.at;
    if (!isCall) {
      if (said.at >= window.from && said.at < window.to) counts.orphaned += 1;
      continue;
    }
    answered += 1;
    const row = toRow(said, request, response);
    if (said.at - request.at > window.withinMs) counts.late += 1;
    else if (row === undefined) counts.dropped += 1;
    else {
      counts.joined += 1;
      yield row;
    }
  }
  counts.unanswered += (await partition.noted()) - answered;
}

async function load(partition: Partition) {
  const feedback = new Map<string, SpilledFeedback>();
  const requests = new Map<string, SpilledRequest>();
  const responses = new Map<string, SpilledResponse>();
  let replaced = 0;
  for await (const record of partition.records()) {
    const spilled = record as Spilled; // written by the join
    if (spilled.kind === 'request') keepLast(requests, spilled);
    else if (spilled.kind === 'response') keepLast(responses, spilled);
    else {
      if (feedback.has(spilled.id)) replaced += 1;
      keepLast(feedback, spilled);
    }
  }
  return { feedback, requests, responses, replaced };
}

/** Within a second the later line is the later record. */
function keepLast<T extends Spilled>(known: Map<string, T>, record: T): void {
  if (record.at >= (known.get(record.id)?.at ?? -Infinity)) known.set(record.id, record);
}

function inOrder(feedback: ReadonlyMap<string, SpilledFeedback>): SpilledFeedback[] {
  const hashed = [...feedback.values()].map((said) => ({ said, hash: hashId(said.id) }));
  hashed.sort((a, b) => a.hash.compare(b.hash) || (a.said.id < b.said.id ? -1 : 1));
  return hashed.map(({ said }) => said);
}

function toRow(said: SpilledFeedback, call: SpilledRequest, answer: SpilledResponse): JoinedRow | undefined {
  const request = toJsonText(call.content, call.types.request);
  const response = toJsonText(answer.content, call.types.response);
  if (request === undefined || response === undefined) return undefined;
  return {
    requestId: said.id,
    modelName: call.name,
    modelVersion: call.version,
    at: call.at,
    feedbackAt: said.at,
    status: call.status,
    request,
    response,
    feedback: said.feedback,
  };
}

/** A body as JSON on one line: JSON as it is, other text as a JSON string; undefined for one that was cut or is broken. */
function toJsonText(content: string, contentType: string): string | undefined {
  try {
    JSON.parse(content);
    // Valid JSON has line breaks between its tokens only.
    return content.replace(/[\r\n]+/g, ' ').trim();
  } catch {
    const isWhole = Buffer.byteLength(content) < CUT_AT_BYTES;
    return isWhole && !/json/i.test(contentType) && contentType !== '' ? JSON.stringify(content) : undefined;
  }
}
