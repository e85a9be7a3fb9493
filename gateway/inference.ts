import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Endpoint } from '../resources/endpoint.js';
import { SlipwayError } from '../resources/errors.js';
import { mayInvoke } from './access.js';
import { ClientGone, type Bodies, type Body } from './body.js';
import { toEdgeError } from './edge-error.js';
import { forward } from './forward.js';
import { requestIdOf, stamp, toHeaderMap, toModelHeaders } from './headers.js';
import type { Metrics } from './metrics.js';
import { parseModelPath, type ModelPath } from './model-path.js';
import type { Replicas } from './replicas.js';
import { createReply } from './reply.js';
import type { Routes } from './routes.js';
import type { Spool } from './spool.js';
import type { VerifyToken } from './tokens.js';

export interface InferenceDeps {
  routes: Pick<Routes, 'lookup'>;
  verify: VerifyToken;
  replicas: Replicas;
  bodies: Bodies;
  spool: Pick<Spool, 'append'>;
  metrics: Pick<Metrics, 'begin' | 'refused' | 'late'>;
  log: Pick<Logger, 'error'>;
  /** The switch of the whole installation; each deployment has its own. */
  recordsEnabled: boolean;
  /** Longest wait of a reply for its record. */
  lateMs?: number;
  /** Bodies in records are cut here. */
  recordedBytes?: number;
  now?: () => number;
}

/** Added to the timeout of the image: it answers 504 by itself first. */
const GRACE_SECONDS = 5;
const LONGEST_SECONDS = 600;

/** `/model/<deployment_id>/...`: admit, read, forward, record, reply. */
export function createInference({
  routes,
  verify,
  replicas,
  bodies,
  spool,
  metrics,
  log,
  recordsEnabled,
  lateMs = 20,
  recordedBytes = 1024 ** 2,
  now = Date.now,
}: InferenceDeps) {
  /** Who it is comes first, then whether they may, then whether it exists: names cannot be probed. */
  async function admit(req: IncomingMessage): Promise<{ endpoint: Endpoint; path: ModelPath }> {
    const caller = await verify(req.headers.authorization);
    const path = parseModelPath(req.url ?? '');
    const endpoint = path === undefined ? undefined : await routes.lookup(path.id);
    if (!mayInvoke(caller, endpoint)) throw new SlipwayError('forbidden', 'Forbidden');
    if (path === undefined || endpoint === undefined) throw new SlipwayError('not_found', 'no such deployment');
    return { endpoint, path };
  }

  function refuse(res: ServerResponse, requestId: string, err: unknown): void {
    if (!(err instanceof SlipwayError)) log.error({ err, requestId }, 'a call to a model failed');
    const { status, headers, body } = toEdgeError(err);
    res.writeHead(status, [
      ...headers,
      'content-length',
      String(Buffer.byteLength(body)),
      ...stamp(requestId, undefined),
    ]);
    res.end(body);
    metrics.refused(status);
  }

  /** The record is written before the reply's last byte goes, so an answered call is a recorded one. */
  async function hold(written: Promise<boolean>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        metrics.late();
        resolve();
      }, lateMs);
    });
    await Promise.race([written, late]);
    clearTimeout(timer);
  }

  async function answer(
    req: IncomingMessage,
    res: ServerResponse,
    requestId: string,
    endpoint: Endpoint,
    path: ModelPath,
  ) {
    const began = performance.now();
    const done = metrics.begin(endpoint);
    const recorded = recordsEnabled && endpoint.feedback && path.recorded && req.method === 'POST';
    const reply = createReply({ res, stamp: stamp(requestId, endpoint), keepBytes: recorded ? recordedBytes : 0 });
    const headers = toModelHeaders(req, path.prefix, requestId);
    let body: Body = { bytes: Buffer.alloc(0), release: () => undefined };
    let replica = '';
    let behind: number | undefined;
    try {
      if (!path.known) throw new SlipwayError('not_found', 'a deployed model has no such path');
      body = await bodies.read(req);
      const sentAt = performance.now();
      await forward({
        endpoint,
        request: { method: req.method ?? 'GET', target: path.target, headers, body: body.bytes },
        reply,
        replicas,
        timeoutMs: Math.min(endpoint.timeoutSeconds + GRACE_SECONDS, LONGEST_SECONDS) * 1_000,
        onGone: (abort) => onClientGone(res, abort),
        onTry: (name) => (replica = name),
      });
      behind = (performance.now() - sentAt) / 1_000;
    } catch (err) {
      if (!(err instanceof SlipwayError || err instanceof ClientGone)) log.error({ err, requestId }, 'a call failed');
      const { status, headers: own, body: text } = toEdgeError(err, path.target);
      if (reply.begun() || err instanceof ClientGone) {
        // A torso must not look like a whole reply: the connection ends without its end.
        res.destroy();
        body.release();
        return done(err instanceof ClientGone ? 0 : status, (performance.now() - began) / 1_000, undefined);
      }
      reply.replace(status, own, text);
    }
    const { status, headers: sent, body: content, truncated } = reply.answer();
    const seconds = (performance.now() - began) / 1_000;
    if (recorded) {
      const first = body.bytes.subarray(0, recordedBytes);
      const head = {
        kind: 'request' as const,
        at: now(),
        requestId,
        modelName: endpoint.modelName,
        modelVersion: endpoint.modelVersion,
        uri: req.url ?? '',
        host: req.headers.host ?? '',
        method: req.method ?? '',
        requestHeaders: toHeaderMap(req.rawHeaders),
        responseHeaders: toHeaderMap(sent),
        status,
        deployment: endpoint.id,
        revision: String(endpoint.generation),
        replica,
        latencyMs: seconds * 1_000,
        truncated: truncated || first.length < body.bytes.length,
      };
      await hold(spool.append({ head, first, second: content }));
    }
    reply.end();
    body.release();
    done(status, seconds, behind);
  }

  return async function inference(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const requestId = requestIdOf(req);
    try {
      const { endpoint, path } = await admit(req);
      await answer(req, res, requestId, endpoint, path);
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
