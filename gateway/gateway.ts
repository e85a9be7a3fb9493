import { createServer as createTlsServer } from 'node:https';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { RecordIndex } from '../lifecycle/stores/record-index.js';
import type { CallMeasurement } from '../lifecycle/kinds/measurement.js';
import { HEAD_LIMITS } from '../platform/kinds/request-head.js';
import { createBodies } from './body.js';
import { createCallMeter } from './call-meter.js';
import { createCalls } from './calls.js';
import { createCatalog } from './catalog.js';
import { createFeedback } from './feedback.js';
import { closeGracefully, prepareClose } from './graceful-close.js';
import { createInference } from './inference.js';
import { createKnownCalls } from './known-calls.js';
import { createInternal } from './internal.js';
import { createMetrics } from './metrics.js';
import { createMirror } from './mirror.js';
import { createPassage } from './passage.js';
import { createRecorder } from './recorder.js';
import { createReplicas } from './replicas.js';
import type { Routes } from './routes.js';
import type { Spool } from './spool.js';
import type { VerifyCaller } from './caller.js';
import type { TlsFiles } from './tls-files.js';
import { createWaitingQueue } from './waiting-queue.js';
import { createWakeCalls } from './wake-calls.js';
import { answerUnreadable, flaw, FOREIGN_HOST, refuseFlawed } from './unreadable.js';

export interface GatewayOptions {
  routes: Routes;
  verify: VerifyCaller;
  /** Where the OpenID issuer gives tokens, for the login on the catalog's page; without it a token is pasted there. */
  findTokenEndpoint?: () => Promise<string | undefined>;
  spool: Spool;
  /** Certificate with its chain, and private key; without them the gateway speaks plain HTTP. */
  tls?: TlsFiles;
  /** Whether a `Host` header names this platform; by default each does. */
  isAllowedHost?: (host: string | undefined) => boolean;
  /** The management API, such as `http://127.0.0.1:8081`. */
  apiUrl: string;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Largest body of a request to a model or of a feedback. */
  bodyLimitBytes?: number;
  /** Memory for all bodies of requests that are being answered; past it, a request is refused with Retry-After. */
  bodyMemoryBytes?: number;
  /** Most connections at once; further ones are closed. */
  maxConnections?: number;
  /** The time that the body of a request to a model may take to arrive. */
  bodyMs?: number;
  /** Where records are found by their request id; without it, feedback is not compared with them. */
  recordIndex?: Pick<RecordIndex, 'find'>;
  /** Records and feedback of the whole installation; each deployment has a switch of its own. */
  feedbackEnabled?: boolean;
  /** Names of headers that records leave out, beside those of credentials and persons. */
  unrecordedHeaders?: readonly string[];
  /** Longest wait of a reply for its record. */
  lateMs?: number;
  /** Longest wait of a call for a replica. */
  queueMs?: number;
  /** How long clients may use the connections that they keep, once the gateway closes. */
  announceMs?: number;
}

export interface Gateway {
  /** The HTTP server of the gateway; the caller calls `listen`. */
  server: Server;
  /** Health and metrics, for an internal port. */
  internal: Server;
  /** The calls to deployments in the last minutes. */
  measure(): CallMeasurement[];
  /** Takes no new request, lets those in progress end, then closes its connections. Routes and spool stay open. */
  close(): Promise<void>;
}

type Handler = (req: IncomingMessage, res: ServerResponse) => void;

/** The one front door: deployed models, feedback and the catalog; everything else is the management API's. */
export function createGateway({
  routes,
  verify,
  findTokenEndpoint = async () => undefined,
  spool,
  tls,
  isAllowedHost = () => true,
  apiUrl,
  log,
  bodyLimitBytes = 32 * 1024 ** 2,
  bodyMemoryBytes = Math.max(512 * 1024 ** 2, 2 * bodyLimitBytes),
  maxConnections = 10_000,
  bodyMs,
  recordIndex,
  feedbackEnabled = true,
  unrecordedHeaders,
  lateMs,
  queueMs,
  announceMs,
}: GatewayOptions): Gateway {
  const calls = createCalls();
  const metrics = createMetrics({ spool, calls });
  const replicas = createReplicas();
  const meter = createCallMeter();
  const wakeCalls = createWakeCalls();
  const queue = createWaitingQueue({ replicas, meter, metrics, wake: wakeCalls.wake, patienceMs: queueMs });
  const bodies = createBodies({ limitBytes: bodyLimitBytes, totalBytes: bodyMemoryBytes, patienceMs: bodyMs });
  const recorder = createRecorder({ spool, metrics, lateMs, unrecordedHeaders });
  const passage = createPassage({ apiUrl, log });
  const knownCalls = recordIndex && createKnownCalls({ index: recordIndex });
  const shared = { routes, verify, bodies, spool, metrics, knownCalls, log };
  const mirror = createMirror({ queue, metrics });
  const inference = createInference({ ...shared, queue, recorder, mirror, recordsEnabled: feedbackEnabled });
  const feedback = createFeedback({ ...shared, enabled: feedbackEnabled });
  const catalog = createCatalog({ routes, verify, findTokenEndpoint, log });
  routes.onSwap((endpoints) => {
    replicas.retain(queue.follow(endpoints));
    metrics.retain(endpoints.flatMap((each) => (each.candidate ? [each, each.candidate.endpoint] : [each])));
    calls.retain(endpoints);
  });
  routes.report((ids) => ({ busySeconds: meter.read(ids), draining: replicas.draining() }));
  routes.reportCalls(() => calls.report());

  // prettier-ignore
  const TABLE: readonly [RegExp, Handler][] = [
    [/^\/(model|custom)\//,                       (req, res) => void inference(req, res)],
    [/^\/(api\/v1\/)?feedback(\/|\?|$)/,          (req, res) => void feedback(req, res)],
    [/^\/service-catalog(\/|\?|$)/,               (req, res) => void catalog(req, res)],
    [/^\//,                                       (req, res) => passage.handle(req, res)],
  ];

  const handle: Handler = (req, res) => {
    const wrong = flaw(req);
    if (wrong !== undefined) return refuseFlawed(res, wrong);
    if (!isAllowedHost(req.headers.host)) return refuseFlawed(res, FOREIGN_HOST);
    for (const [pattern, take] of TABLE) if (pattern.test(req.url ?? '')) return take(req, res);
  };
  const limits = { ...HEAD_LIMITS, requireHostHeader: false };
  const server = tls === undefined ? createServer(limits, handle) : createTlsServer({ ...limits, ...tls }, handle);
  // Each holds memory, also while it sends nothing.
  server.maxConnections = maxConnections;
  prepareClose(server);
  answerUnreadable(server, handle);
  const internal = createInternal({ registry: metrics.registry, ready: () => routes.ready() });

  return {
    server,
    internal,
    measure: metrics.measure,
    async close() {
      await Promise.all([closeGracefully(server, { announceMs }), closeGracefully(internal, { announceMs: 0 })]);
      mirror.close();
      await Promise.all([replicas.close(), passage.close(), wakeCalls.close()]);
    },
  };
}
