import { createHash } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import type { FeedbackHead, Frame, RequestHead } from './frame.js';

/** One line of a record file, and the folder and hour that it belongs to. */
export interface RecordLine {
  /** `request_response/<name>/<version>/year=YYYY/month=MM/day=DD/<YYYYMMDDHH>`: what the counter is appended to. */
  path: string;
  json: string;
}

/** Builds the records of one frame. Fields and path shapes are those of the platform's specification. */
export function toRecords(frame: Frame): RecordLine[] {
  return frame.head.kind === 'request' ? requestRecords(frame.head, frame) : [feedbackRecord(frame.head, frame)];
}

function requestRecords(head: RequestHead, { first, second }: Frame): RecordLine[] {
  const { requestId: request_id, modelName: model_name, modelVersion: model_version } = head;
  const time = timeText(head.at);
  const line = (tag: string, fields: object): RecordLine => ({ path: path(tag, head), json: JSON.stringify(fields) });
  return [
    line('request_response', {
      request_id,
      request_content: text(first),
      request_uri: head.uri,
      request_host: head.host,
      request_http_method: head.method,
      request_http_headers: head.requestHeaders,
      response_http_headers: head.responseHeaders,
      response_status: String(head.status),
      model_name,
      model_version,
      time,
    }),
    line('response_body', { request_id, model_version, model_name, response_content: text(second), time }),
    // What the specification has no field for stands in a tree of its own.
    line('inference_detail', {
      request_id,
      model_name,
      model_version,
      deployment: head.deployment,
      revision: head.revision,
      replica: head.replica,
      latency_ms: head.latencyMs,
      truncated: head.truncated,
      time,
    }),
  ];
}

function feedbackRecord(head: FeedbackHead, { first }: Frame): RecordLine {
  const { requestId: request_id, modelName: model_name, modelVersion: model_version } = head;
  const fields = JSON.stringify({ request_id, model_version, model_name });
  // The payload is put in as it came: a parser would change integers beyond 2^53.
  const json = `${fields.slice(0, -1)},"payload":{"json":${first.toString()}},"time":"${timeText(head.at)}"}`;
  return { path: path('feedback', head), json };
}

function path(tag: string, { modelName, modelVersion, at }: RequestHead | FeedbackHead): string {
  const iso = new Date(at).toISOString();
  const [year, month, day, hour] = [iso.slice(0, 4), iso.slice(5, 7), iso.slice(8, 10), iso.slice(11, 13)];
  const model = `${toSegment(modelName)}/${toSegment(modelVersion)}`;
  return `${tag}/${model}/year=${year}/month=${month}/day=${day}/${year}${month}${day}${hour}`;
}

/** Object storage refuses longer names, and one record that is refused would hold up all after it. */
const LONGEST_SEGMENT = 200;

/** A name as one part of a path: a caller chooses it. A long one is cut and told apart by its digest. */
function toSegment(name: string): string {
  const encoded = encodeURIComponent(name).replace(/^\.{1,2}$/, (dots) => dots.replaceAll('.', '%2E'));
  if (encoded.length <= LONGEST_SEGMENT) return encoded;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 16);
  const start = encoded.slice(0, LONGEST_SEGMENT - digest.length - 1).replace(/%[0-9A-F]?$/, '');
  return `${start}-${digest}`;
}

/** `2026-11-20 08:46:40 +0000` */
function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} +0000`;
}

/** A body that was cut may end inside a character: that one is left out. */
function text(bytes: Buffer): string {
  return new StringDecoder('utf8').write(bytes);
}
