import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Endpoint } from '../lifecycle/kinds/endpoint.js';
import { SlipwayError } from '../platform/kinds/errors.js';
import { type Admitted, createAdmission } from './admission.js';
import { type Bodies, type Body, ClientGone, keepBody } from './body.js';
import type { VerifyCaller } from './caller.js';
import { toEdgeError } from './edge-error.js';
import { forward, type Forwarding } from './forward.js';
import { requestIdOf, stamp, toModelHeaders } from './headers.js';
import type { Metrics } from './metrics.js';
import type { Mirror } from './mirror.js';
import type { Recorder } from './recorder.js';
import type { Replicas } from './replicas.js';
import { createReply, type Reply } from './reply.js';
import type { Routes } from './routes.js';
import { timeoutOf } from './timeout.js';

export interface InferenceDeps {
  routes: Pick<Routes, 'lookup' | 'match'>;
  verify: VerifyCaller;
  replicas: Replicas;
  bodies: Bodies;
  recorder: Recorder;
  mirror: Pick<Mirror, 'send'>;
  metrics: Pick<Metrics, 'begin' | 'refused'>;
  log: Pick<Logger, 'error'>;
  /** The switch of the whole installation; each deployment has its own. */
  recordsEnabled: boolean;
}

/** A call at one deployment. */
interface Call extends Admitted {
  req: IncomingMessage;
  res: ServerResponse;
  requestId: string;
  readBody: (caller: string) => Promise<Buffer>;
}

/** A deployment that is asked to answer a call. */
interface Turn {
  endpoint: Endpoint;
  /** Whether another deployment can answer instead. */
  hasNext: boolean;
}

/** `/model/<deployment_id>/...` and custom routes: admit, read, forward, record, reply. */
export function createInference(deps: InferenceDeps) {
  const { replicas, bodies, recorder, mirror, metrics, log, recordsEnabled } = deps;
  const admit = createAdmission(deps);

  function refuse(res: ServerResponse, requestId: string, err: unknown): void {
    if (err instanceof ClientGone) return void res.destroy();
    if (!(err instanceof SlipwayError)) log.error({ err, requestId }, 'a call to a model failed');
    const { status, headers, body: text } = toEdgeError(err);
    const body = Buffer.from(text);
    res
      .writeHead(status, [...headers, 'content-length', String(body.length), ...stamp(requestId, undefined)])
      .end(body);
    metrics.refused(status);
  }

  async function toRequest({ req, path, requestId, readBody, caller }: Call): Promise<Forwarding> {
    if (!path.known) throw new SlipwayError('not_found', 'a deployed model has no such path');
    const body = await readBody(caller);
    const headers = toModelHeaders(req, path.prefix, requestId);
    return { method: req.method ?? 'GET', target: path.target, headers, body };
  }

  /** @returns false when the deployment cannot be reached and the next one is to be asked */
  async function answer(call: Call, { endpoint, hasNext }: Turn): Promise<boolean> {
    const { req, res, requestId, path } = call;
    const began = performance.now();
    const seconds = (): number => (performance.now() - began) / 1_000;
    const done = metrics.begin(endpoint);
    const recorded = recordsEnabled && endpoint.feedback && path.recorded && req.method === 'POST';
    const keepBytes = recorded ? recorder.bodyBytes : 0;
    const reply = createReply({ res, stamp: [...stamp(requestId, endpoint), ...call.headers], keepBytes });
    let request: Forwarding | undefined;
    let replica = '';
    let behind: number | undefined;
    try {
      request = await toRequest(call);
      const before = seconds();
      const onGone = (abort: () => void): void => onClientGone(res, abort);
      const onTry = (name: string): void => void (replica = name);
      await forward({ endpoint, request, reply, replicas, timeoutMs: timeoutOf(endpoint), onGone, onTry });
      behind = seconds() - before;
    } catch (err) {
      if (hasNext && err instanceof SlipwayError && err.code === 'no_replica') {
        done('passed_on', seconds(), undefined);
        return false;
      }
      const failure = fail(call, reply, err);
      if (failure !== undefined) {
        done(failure, seconds(), undefined);
        return true;
      }
    }
    const given = reply.answer();
    if (recorded) {
      const [requestBody, latencyMs] = [request?.body ?? NO_BODY.bytes, seconds() * 1_000];
      await recorder.record({ req, requestId, endpoint, replica, requestBody, answer: given, latencyMs });
    }
    reply.end();
    done(given.status, seconds(), behind);
    if (call.mirror !== undefined && request !== undefined) mirror.send(call.mirror, request);
    return true;
  }

  /** Answers with the error. @returns how the call ended when nothing more can be sent to the client */
  function fail({ res, requestId, path }: Call, reply: Reply, err: unknown): number | 'gone' | undefined {
    const gone = err instanceof ClientGone;
    if (!gone && !(err instanceof SlipwayError)) log.error({ err, requestId }, 'a call to a model failed');
    const { status, headers, body } = toEdgeError(err, path.target);
    if (gone || reply.begun()) {
      // A torso must not look like a whole reply: the connection ends without its end.
      res.destroy();
      return gone ? 'gone' : status;
    }
    reply.replace(status, headers, body);
    return undefined;
  }

  return async function inference(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const requestId = requestIdOf(req);
    const body = keepBody(bodies, req);
    try {
      const admitted = await admit(req, body.read);
      const { candidates } = admitted;
      const call = { ...admitted, req, res, requestId, readBody: body.read };
      for (const [at, endpoint] of candidates.entries()) {
        if (await answer(call, { endpoint, hasNext: at + 1 < candidates.length })) break;
      }
    } catch (err) {
      refuse(res, requestId, err);
    } finally {
      body.release();
    }
  };
}

const NO_BODY: Pick<Body, 'bytes'> = { bytes: Buffer.alloc(0) };

/** `close` comes after every reply; it means a client that left only while the reply is not finished. */
function onClientGone(res: ServerResponse, abort: () => void): void {
  if (res.closed) return abort();
  res.once('close', () => {
    if (!res.writableFinished) abort();
  });
}
