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
import type { Lease } from './replicas.js';
import type { Mirror } from './mirror.js';
import type { KnownCalls } from './known-calls.js';
import type { Recorder } from './recorder.js';
import { createReply, type Reply } from './reply.js';
import type { Routes } from './routes.js';
import { timeoutOf } from './timeout.js';
import { RouteReplaced, type WaitingQueue } from './waiting-queue.js';

export interface InferenceDeps {
  routes: Pick<Routes, 'lookup' | 'match'>;
  verify: VerifyCaller;
  queue: Pick<WaitingQueue, 'take'>;
  bodies: Bodies;
  recorder: Recorder;
  knownCalls?: Pick<KnownCalls, 'note'> | undefined;
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
  const { queue, bodies, recorder, knownCalls, mirror, metrics, log, recordsEnabled } = deps;
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
    const headers = [...stamp(requestId, endpoint), ...call.headers];
    const reply = createReply({ res, stamp: headers, keepBytes });
    let request: Forwarding | undefined;
    let replica = '';
    let behind: number | undefined;
    try {
      request = await toRequest(call);
      let before = seconds();
      const onGone = (abort: () => void): void => onClientGone(res, abort);
      const onTry = (lease: Lease): void => {
        if (replica === '') before = seconds();
        replica = lease.replica.name;
        if (lease.coldStartMs !== undefined) headers.push('x-slipway-cold-start', lease.coldStartMs.toFixed(0));
      };
      const { take } = queue;
      await forward({ endpoint, request, reply, take, timeoutMs: timeoutOf(endpoint), onGone, onTry });
      behind = seconds() - before;
    } catch (err) {
      if (err instanceof RouteReplaced) {
        done('passed_on', seconds(), undefined);
        throw err;
      }
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
    // Counted before its record is awaited: its replica is free already, and is reported as drained once its calls are counted.
    done(given.status, seconds(), behind);
    if (recorded) {
      const { modelName, modelVersion } = endpoint;
      knownCalls?.note({ requestId, modelName, modelVersion });
      const [requestBody, latencyMs] = [request?.body ?? NO_BODY.bytes, seconds() * 1_000];
      await recorder.record({ req, requestId, endpoint, replica, requestBody, answer: given, latencyMs });
    }
    reply.end();
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

  /** @returns false when the deployment got another generation before a replica had the call */
  async function admitAndAnswer(incoming: Pick<Call, 'req' | 'res' | 'requestId' | 'readBody'>): Promise<boolean> {
    const admitted = await admit(incoming.req, incoming.readBody);
    const { candidates } = admitted;
    const call = { ...admitted, ...incoming };
    try {
      for (const [at, endpoint] of candidates.entries()) {
        if (await answer(call, { endpoint, hasNext: at + 1 < candidates.length })) break;
      }
      return true;
    } catch (err) {
      if (err instanceof RouteReplaced) return false;
      throw err;
    }
  }

  return async function inference(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const requestId = requestIdOf(req);
    const body = keepBody(bodies, req);
    try {
      while (!(await admitAndAnswer({ req, res, requestId, readBody: body.read })));
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
