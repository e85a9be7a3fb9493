import { StringDecoder } from 'node:string_decoder';
import { hourPath, type RecordTag, timeText, versionFolder } from '../lifecycle/stores/record-path.js';
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
  const line = (tag: RecordTag, fields: object): RecordLine => ({
    path: recordPath(tag, head),
    json: JSON.stringify(fields),
  });
  return [
    line('request_response', {
      request_id,
      request_content: content(first, head.cut?.includes('request')),
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
    line('response_body', {
      request_id,
      model_version,
      model_name,
      response_content: content(second, head.cut?.includes('response')),
      time,
    }),
    // Facts without a field in the specification go into a tree of their own.
    line('inference_detail', {
      request_id,
      model_name,
      model_version,
      deployment: head.deployment,
      deployment_uid: head.deploymentUid,
      revision: head.revision,
      image_id: head.imageId,
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
  return { path: recordPath('feedback', head), json };
}

/** The path of a record's file without its counter. */
export const recordPath = (tag: RecordTag, { modelName, modelVersion, at }: RequestHead | FeedbackHead): string =>
  `${versionFolder(tag, modelName, modelVersion)}/${hourPath(at)}`;

/** A body that was cut may end inside a character: that one is left out. The content itself says that it was cut. */
function content(bytes: Buffer, isCut = false): string {
  const text = new StringDecoder('utf8').write(bytes);
  return isCut ? `${text} [cut after ${bytes.length} bytes]` : text;
}
