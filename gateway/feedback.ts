import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Endpoint } from '../lifecycle/kinds/endpoint.js';
import { SlipwayError } from '../platform/kinds/errors.js';
import { maySendFeedback } from './access.js';
import { ClientGone, type Bodies } from './body.js';
import { exposed } from './edge-error.js';
import { requestIdOf, visible } from './headers.js';
import { createRecordRedactions } from '../lifecycle/kinds/record-redaction.js';
import type { KnownCalls } from './known-calls.js';
import type { Metrics } from './metrics.js';
import type { Routes } from './routes.js';
import type { Spool } from './spool.js';
import type { VerifyCaller } from './caller.js';

export interface FeedbackDeps {
  routes: Pick<Routes, 'all'>;
  verify: VerifyCaller;
  bodies: Bodies;
  spool: Pick<Spool, 'append'>;
  metrics: Pick<Metrics, 'feedback'>;
  /** Says whether a call of that id is known; without it, nothing is said. */
  knownCalls?: Pick<KnownCalls, 'doubt'> | undefined;
  log: Pick<Logger, 'error'>;
  /** The switch of the whole installation. */
  enabled: boolean;
  now?: () => number;
}

/** `POST /feedback/model/` and `/api/v1/feedback`: what a prediction was worth, tied to it by its request id. */
export function createFeedback(deps: FeedbackDeps) {
  const { routes, verify, bodies, spool, metrics, knownCalls, log, enabled, now = Date.now } = deps;
  const redactionOf = createRecordRedactions({ mostBytes: LARGEST_BYTES });

  function admit(req: IncomingMessage, served: readonly Endpoint[], model: string): void {
    if (!enabled || (served.length > 0 && served.every(({ feedback }) => !feedback))) {
      throw new SlipwayError('not_found', `feedback is switched off${enabled ? ` for model "${model}"` : ''}`);
    }
    if (req.method !== 'POST') throw new SlipwayError('method_not_allowed', 'feedback is sent by POST');
  }

  async function take(req: IncomingMessage): Promise<{ body: string; warning: string | undefined }> {
    const caller = await verify(req.headers.authorization);
    const modelName = text(req, 'x-model-name') || text(req, 'model-name');
    const modelVersion = text(req, 'x-model-version') || text(req, 'model-version');
    const served = routes.all().filter((one) => one.modelName === modelName && one.modelVersion === modelVersion);
    if (!maySendFeedback(caller, served)) throw new SlipwayError('forbidden', 'Forbidden');
    admit(req, served, modelName);
    const requestId = text(req, 'request-id');
    if (requestId === '') throw new SlipwayError('validation_failed', 'request-id header is missed');
    if (modelName === '' || modelVersion === '') {
      throw new SlipwayError('validation_failed', 'model-name or model-version header is empty');
    }
    const { bytes, release } = await bodies.read(req, caller.subject);
    try {
      const json = readJson(bytes, req.headers['content-type']);
      const days = retentionOf(served);
      const head = { kind: 'feedback' as const, at: now(), requestId, modelName, modelVersion, ...days };
      const kept = redactionOf(served.flatMap(({ records }) => records?.redact ?? [])).json(json);
      const doubt = knownCalls?.doubt({ requestId, modelName, modelVersion });
      const written = await spool.append({ head, first: Buffer.from(kept), second: Buffer.alloc(0) });
      if (!written) throw new SlipwayError('bad_gateway', 'Cannot deliver message');
      // A caller may name any model: only those that are served are labels.
      if (served.length > 0) metrics.feedback(modelName, modelVersion);
      else metrics.feedback('', '');
      const warning = await doubt;
      return { body: success({ requestId, modelName, modelVersion, json, warning }), warning };
    } finally {
      release();
    }
  }

  return async function feedback(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const type = { 'content-type': 'application/json; charset=utf-8', 'request-id': requestIdOf(req) };
    try {
      const { body, warning } = await take(req);
      const headers =
        warning === undefined ? type : { ...type, warning: `299 - "${visible(warning).replaceAll('"', "'")}"` };
      res.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
    } catch (err) {
      if (err instanceof ClientGone) return void res.destroy();
      if (!(err instanceof SlipwayError)) log.error({ err }, 'feedback was not taken');
      const { status, message } = exposed(err);
      const body = JSON.stringify({ error: true, message, registered: false });
      res.writeHead(status, { ...type, ...EXTRA[status], 'x-slipway-error': visible(message) }).end(body);
    }
  };
}

/** The shortest time that a deployment of the model asks for. */
function retentionOf(served: readonly Endpoint[]): { retentionDays?: number } {
  const days = served.map(({ records }) => records?.retentionDays ?? 0).filter((each) => each > 0);
  return days.length === 0 ? {} : { retentionDays: Math.min(...days) };
}

/** A longer feedback to a model with rules is not examined, and not recorded. */
const LARGEST_BYTES = 1024 ** 2;

const EXTRA: Readonly<Record<number, Record<string, string>>> = {
  401: { 'www-authenticate': 'Bearer' },
  405: { allow: 'POST' },
  503: { 'retry-after': '1' },
};

interface Taken {
  requestId: string;
  modelName: string;
  modelVersion: string;
  /** The body as JSON text. */
  json: string;
  warning: string | undefined;
}

/** The stored message with the specification's names, and its members once more with those of earlier clients. */
function success({
  requestId: RequestID,
  modelName: ModelName,
  modelVersion: ModelVersion,
  json,
  warning,
}: Taken): string {
  // The payload is put in as text: a parser would change integers beyond 2^53.
  const payload = `{"json":${json}}`;
  const message = `${JSON.stringify({ RequestID, ModelVersion, ModelName }).slice(0, -1)},"Payload":${payload}}`;
  const flat = { requestID: RequestID, modelVersion: ModelVersion, modelName: ModelName, warning };
  const rest = JSON.stringify(flat).slice(1, -1);
  return `{"error":false,"registered":true,"message":${message},${rest},"payload":${payload}}`;
}

/** The body as JSON text on one line; a body that says it is something else, and is, counts as `{}`. */
function readJson(bytes: Buffer, contentType: string | undefined): string {
  try {
    const json = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    JSON.parse(json);
    // Valid JSON has line breaks between its tokens only; a record has to be one line.
    return json.replace(/[\r\n]+/g, ' ').trim();
  } catch (cause) {
    if (contentType !== undefined && !/json/i.test(contentType)) return '{}';
    throw new SlipwayError('validation_failed', 'Cannot parse data', { cause });
  }
}

function text(req: IncomingMessage, name: string): string {
  const value = req.headers[name];
  return typeof value === 'string' ? value.trim() : '';
}
