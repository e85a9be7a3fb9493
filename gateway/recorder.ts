import type { IncomingMessage } from 'node:http';
import type { Endpoint } from '../lifecycle/kinds/endpoint.js';
import type { Frame } from './frame.js';
import { toHeaderMap, type HeaderList } from './headers.js';
import { createRecordRedactions } from '../lifecycle/kinds/record-redaction.js';
import type { Metrics } from './metrics.js';
import type { Spool } from './spool.js';

export interface RecorderOptions {
  spool: Pick<Spool, 'append'>;
  metrics: Pick<Metrics, 'late'>;
  /** Longest wait of a reply for its record. */
  lateMs?: number;
  /** Names of headers to leave out, beside those of credentials and persons. */
  unrecordedHeaders?: readonly string[];
  /** Bodies are cut here. */
  bodyBytes?: number;
  now?: () => number;
}

/** One answered call. */
export interface Answered {
  req: IncomingMessage;
  requestId: string;
  endpoint: Endpoint;
  replica: string;
  requestBody: Buffer;
  answer: { status: number; headers: HeaderList; body: Buffer; truncated: boolean };
  latencyMs: number;
}

export type Recorder = ReturnType<typeof createRecorder>;

/** Writes the record of a call before the reply's last byte goes, so an answered call is a recorded one. */
export function createRecorder({
  spool,
  metrics,
  lateMs = 20,
  bodyBytes = 1024 ** 2,
  unrecordedHeaders = [],
  now = Date.now,
}: RecorderOptions) {
  const redactionOf = createRecordRedactions({ mostBytes: bodyBytes });
  const leftOut = new Set(unrecordedHeaders.map((name) => name.toLowerCase()));

  function toFrame({ req, requestId, endpoint, replica, requestBody, answer, latencyMs }: Answered): Frame {
    const { redact, retentionDays = 0 } = endpoint.records ?? {};
    const redaction = redactionOf(redact);
    const kept = requestBody.subarray(0, bodyBytes);
    const isCut = { request: kept.length < requestBody.length, response: answer.truncated };
    const first = redaction.body(kept, isCut.request);
    const second = redaction.body(answer.body, isCut.response);
    // In place of a body that rules forbid to keep, there is a text that says so.
    const cut = [
      ...(isCut.request && first === kept ? (['request'] as const) : []),
      ...(isCut.response && second === answer.body ? (['response'] as const) : []),
    ];
    const head = {
      kind: 'request' as const,
      at: now(),
      requestId,
      modelName: endpoint.modelName,
      modelVersion: endpoint.modelVersion,
      uri: redaction.uri(req.url ?? ''),
      host: req.headers.host ?? '',
      method: req.method ?? '',
      requestHeaders: toHeaderMap(req.rawHeaders, leftOut),
      responseHeaders: toHeaderMap(answer.headers, leftOut),
      status: answer.status,
      deployment: endpoint.id,
      deploymentUid: endpoint.uid,
      revision: String(endpoint.generation),
      imageId: endpoint.imageId,
      replica,
      latencyMs,
      truncated: isCut.request || isCut.response,
      ...(cut.length > 0 && { cut }),
      ...(retentionDays > 0 && { retentionDays }),
    };
    return { head, first, second };
  }

  return {
    bodyBytes,
    /** Resolves when the record is written or dropped, or when it takes too long: the caller does not pay for that. */
    async record(answered: Answered): Promise<void> {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(() => {
          metrics.late();
          resolve();
        }, lateMs);
      });
      await Promise.race([spool.append(toFrame(answered)), late]);
      clearTimeout(timer);
    },
  };
}
