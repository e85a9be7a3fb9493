import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Endpoint } from '../lifecycle/kinds/endpoint.js';
import { SlipwayError } from '../platform/kinds/errors.js';
import { mayInvoke, whoMayInvoke } from './access.js';
import { ClientGone, type Bodies, type Body } from './body.js';
import { toEdgeError } from './edge-error.js';
import { forward } from './forward.js';
import { requestIdOf, stamp, toModelHeaders } from './headers.js';
import type { Metrics } from './metrics.js';
import { parseModelPath, type ModelPath } from './model-path.js';
import type { Recorder } from './recorder.js';
import type { Replicas } from './replicas.js';
import { createReply } from './reply.js';
import type { Routes } from './routes.js';
import type { VerifyCaller } from './caller.js';

export interface InferenceDeps {
  routes: Pick<Routes, 'lookup'>;
  verify: VerifyCaller;
  replicas: Replicas;
  bodies: Bodies;
  recorder: Recorder;
  metrics: Pick<Metrics, 'begin' | 'refused'>;
  log: Pick<Logger, 'error'>;
  /** The switch of the whole installation; each deployment has its own. */
  recordsEnabled: boolean;
}

/** A call that may be made. */
interface Admitted {
  endpoint: Endpoint;
  path: ModelPath;
  /** Subject of the token. */
  caller: string;
}

interface Call extends Admitted {
  req: IncomingMessage;
  res: ServerResponse;
  requestId: string;
}

/** Added to the timeout of the image: it answers 504 by itself first. */
const GRACE_SECONDS = 5;
const LONGEST_SECONDS = 600;
const NO_BODY: Body = { bytes: Buffer.alloc(0), release: () => undefined };

/** `/model/<deployment_id>/...`: admit, read, forward, record, reply. */
export function createInference(deps: InferenceDeps) {
  const { routes, verify, replicas, bodies, recorder, metrics, log, recordsEnabled } = deps;

  /** Authentication comes first, then authorization, then existence: names cannot be probed. */
  async function admit(req: IncomingMessage): Promise<Admitted> {
    const caller = await verify(req.headers.authorization);
    const path = parseModelPath(req.url ?? '');
    const endpoint = path === undefined ? undefined : await routes.lookup(path.id);
    if (!mayInvoke(caller, endpoint)) throw new SlipwayError('forbidden', whoMayInvoke(caller, endpoint));
    if (path === undefined || endpoint === undefined) throw new SlipwayError('not_found', 'no such deployment');
    return { endpoint, path, caller: caller.subject };
  }

  function refuse(res: ServerResponse, requestId: string, err: unknown): void {
    if (!(err instanceof SlipwayError)) log.error({ err, requestId }, 'a call to a model failed');
    const { status, headers, body: text } = toEdgeError(err);
    const body = Buffer.from(text);
    res
      .writeHead(status, [...headers, 'content-length', String(body.length), ...stamp(requestId, undefined)])
      .end(body);
    metrics.refused(status);
  }

  async function answer({ req, res, requestId, endpoint, path, caller }: Call): Promise<void> {
    const began = performance.now();
    const seconds = (): number => (performance.now() - began) / 1_000;
    const done = metrics.begin(endpoint);
    const recorded = recordsEnabled && endpoint.feedback && path.recorded && req.method === 'POST';
    const keepBytes = recorded ? recorder.bodyBytes : 0;
    const reply = createReply({ res, stamp: stamp(requestId, endpoint), keepBytes });
    let body = NO_BODY;
    let replica = '';
    let behind: number | undefined;
    try {
      if (!path.known) throw new SlipwayError('not_found', 'a deployed model has no such path');
      body = await bodies.read(req, caller);
      const headers = toModelHeaders(req, path.prefix, requestId);
      const before = seconds();
      await forward({
        endpoint,
        request: { method: req.method ?? 'GET', target: path.target, headers, body: body.bytes },
        reply,
        replicas,
        timeoutMs: Math.min(endpoint.timeoutSeconds + GRACE_SECONDS, LONGEST_SECONDS) * 1_000,
        onGone: (abort) => onClientGone(res, abort),
        onTry: (name) => (replica = name),
      });
      behind = seconds() - before;
    } catch (err) {
      const gone = err instanceof ClientGone;
      if (!gone && !(err instanceof SlipwayError)) log.error({ err, requestId }, 'a call to a model failed');
      const { status, headers, body: text } = toEdgeError(err, path.target);
      if (gone || reply.begun()) {
        // A torso must not look like a whole reply: the connection ends without its end.
        res.destroy();
        body.release();
        return done(gone ? 'gone' : status, seconds(), undefined);
      }
      reply.replace(status, headers, text);
    }
    const given = reply.answer();
    if (recorded) {
      const latencyMs = seconds() * 1_000;
      await recorder.record({ req, requestId, endpoint, replica, requestBody: body.bytes, answer: given, latencyMs });
    }
    reply.end();
    body.release();
    done(given.status, seconds(), behind);
  }

  return async function inference(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const requestId = requestIdOf(req);
    try {
      await answer({ req, res, requestId, ...(await admit(req)) });
    } catch (err) {
      refuse(res, requestId, err);
    }
  };
}

/** `close` comes after every reply; it means a client that left only while the reply is not finished. */
function onClientGone(res: ServerResponse, abort: () => void): void {
  if (res.closed) return abort();
  res.once('close', () => {
    if (!res.writableFinished) abort();
  });
}
