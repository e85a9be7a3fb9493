import { SlipwayError } from '../../platform/kinds/errors.js';
import { createConnectionTest } from '../../lifecycle/stores/connection-test.js';
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { createApi } from '../../api/app.js';
import { createIssuer } from '../../platform/auth/issuer.js';
import { ensureBuiltIns } from '../../api/lifecycle/built-ins.js';
import type { ApiDeps } from '../../api/app.js';
import { parseSettings } from '../../config.js';
import type { Connection } from '../../lifecycle/kinds/connection.js';
import type { Deployment } from '../../lifecycle/kinds/deployment.js';
import type { InferenceJob } from '../../lifecycle/kinds/inference-job.js';
import type { InferenceService } from '../../lifecycle/kinds/inference-service.js';
import type { PackagingIntegration } from '../../lifecycle/kinds/packaging-integration.js';
import type { Packaging } from '../../lifecycle/kinds/packaging.js';
import type { PipelineRun } from '../../lifecycle/kinds/pipeline-run.js';
import type { Pipeline } from '../../lifecycle/kinds/pipeline.js';
import type { Route } from '../../lifecycle/kinds/route.js';
import type { ToolchainIntegration } from '../../lifecycle/kinds/toolchain-integration.js';
import type { Training } from '../../lifecycle/kinds/training.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import { createPipelineSubscriptions } from '../../notifications/stores/pipeline-subscriptions.js';
import { createEventStream } from '../../platform/stores/event-stream.js';
import { createAudit } from '../../platform/stores/audit.js';
import { createFeed } from '../../platform/stores/resource-feed.js';
import { createIdempotency } from '../../platform/stores/idempotency.js';
import { createKeptIndexes } from '../../platform/stores/kept-indexes.js';
import { createLineageLog } from '../../lifecycle/stores/lineage.js';
import { createMemoryDatabase } from '../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../platform/stores/memory-objects.js';
import { createRecordIndex } from '../../lifecycle/stores/record-index.js';
import { createRecordedCalls } from '../../lifecycle/stores/recorded-calls.js';
import { createSecretBox } from '../../platform/stores/secrets.js';
import { createPipelineRuns } from '../../lifecycle/stores/pipeline-runs.js';
import { createEndpoints } from '../../lifecycle/stores/stored-endpoints.js';
import { createDeploymentRevisions } from '../../lifecycle/stores/deployment-revisions.js';
import { createMeasurements } from '../../lifecycle/stores/measurements.js';
import { createRouteReaders } from '../../lifecycle/stores/route-readers.js';
import { createResources } from '../../notifications/stores/resources.js';
import { createLogs } from '../../platform/stores/stored-logs.js';
import { PATIENT } from '../patient-server.js';
import { checkContract } from './contract.js';
import { startTestIssuer } from './test-issuer.js';
import { testVerification } from './test-verification.js';

export type TestApi = Awaited<ReturnType<typeof startTestApi>>;
interface Call {
  /** Roles of the token; `null`: no token at all. */
  as?: readonly string[] | null;
  body?: unknown;
  /** Body as it is, JSON or not. */
  raw?: string | Buffer;
  headers?: Record<string, string>;
}

/** The API on memory stores, listening on a port of its own; runs are noted, not made. */
export async function startTestApi(changes: Partial<ApiDeps> = {}, environment: Record<string, string> = {}) {
  const issuer = await startTestIssuer();
  const settings = parseSettings({
    OIDC_ISSUER: issuer.url,
    SLIPWAY_BASE_URL: 'https://models.example.org',
    ...environment,
  });
  const database = createMemoryDatabase();
  const objects = createMemoryObjects();
  const recordIndex = createRecordIndex({ objects });
  const deploymentFeed = createFeed<Deployment>({ database, kind: 'ModelDeployment' });
  const routeFeed = createFeed<Route>({ database, kind: 'ModelRoute' });
  const indexes = createKeptIndexes({ database });
  const stores = {
    connections: createResources<Connection>({ database, kind: 'Connection', indexes }),
    toolchainIntegrations: createResources<ToolchainIntegration>({ database, kind: 'ToolchainIntegration', indexes }),
    packagingIntegrations: createResources<PackagingIntegration>({ database, kind: 'PackagingIntegration', indexes }),
    trainings: createResources<Training>({ database, kind: 'ModelTraining', indexes }),
    packagings: createResources<Packaging>({ database, kind: 'ModelPackaging', indexes }),
    deployments: createResources<Deployment>({ database, kind: 'ModelDeployment', indexes }),
    routes: createResources<Route>({ database, kind: 'ModelRoute', indexes }),
    pipelines: createResources<Pipeline>({ database, kind: 'ModelPipeline', indexes }),
    pipelineRuns: createResources<PipelineRun>({ database, kind: 'PipelineRun', indexes }),
    inferenceServices: createResources<InferenceService>({ database, kind: 'InferenceService', indexes }),
    inferenceJobs: createResources<InferenceJob>({ database, kind: 'InferenceJob', indexes }),
  };
  const making = { now: () => new Date(), newId: randomUUID };
  const pipelineRunStore = createPipelineRuns({ ...stores, ...making });
  const secretKey = randomBytes(32).toString('base64');
  const secretBox = createSecretBox({ key: secretKey });
  const subscriptions = createResources<Subscription>({ database, kind: 'Subscription' });
  const pipelineEvents = createEventStream({ database, stream: 'pipeline' });
  const routeReaders = createRouteReaders({ database });
  const revisions = createDeploymentRevisions({ database });
  const signals: string[] = [];
  const lines: string[] = [];
  const logger = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) });
  const logs = createLogs({ objects, pollMs: 10, flushMs: 10 });
  const deps: ApiDeps = {
    ...stores,
    settings,
    version: '0.0.0-test',
    logger,
    logs,
    logTimes: { pollMs: 20, graceMs: 200 },
    secretBox,
    pipelineSubscriptions: createPipelineSubscriptions({
      ...{ subscriptions, pipelines: stores.pipelines, box: secretBox, newId: randomUUID },
      endOfStream: () => pipelineEvents.end(),
    }),
    runs: {
      changed: async (kind, { id, generation }) => void signals.push(`changed ${kind}/${id} ${generation}`),
      cancel: async (kind, { id, generation }) => void signals.push(`cancel ${kind}/${id} ${generation}`),
    },
    pipelineRunStore,
    revisions,
    rollouts: {
      request: async (action, { id, generation }, by) => void signals.push(`${action} ${id} ${generation} by ${by}`),
    },
    schedules: {
      reconcile: async ({ id }) => signals.push(`schedule ${id}`) > 0,
      remove: async (id) => void signals.push(`unschedule ${id}`),
      describe: async () => undefined,
      trigger: async (id) => void signals.push(`trigger ${id}`),
    },
    creationChecks: { hasArtifact: async () => undefined, hasImage: async () => undefined },
    testConnection: createConnectionTest({
      openStore: () => objects,
      openRepository: () => {
        throw new SlipwayError('url.not_allowed', 'registry.example has a private address');
      },
      readReferences: async () => {
        throw new SlipwayError('run_failed', 'fatal: Authentication failed');
      },
    }),
    ...testVerification({ database, box: secretBox, connections: stores.connections }),
    findOutages: async () => [],
    findDegradations: async () => [],
    approvals: { decide: async ({ id }, { decision }, key) => void signals.push(`${decision} ${id} ${key}`) },
    endpoints: createEndpoints({ database }),
    routeReaders,
    measurements: createMeasurements({ database }),
    lineage: createLineageLog({ database }),
    recordIndex,
    recordedCalls: createRecordedCalls({ objects, index: recordIndex }),
    audit: createAudit({ database }),
    idempotency: createIdempotency({ database, pollMs: 10 }),
    deploymentFeed,
    routeFeed,
    issuer: createIssuer({ url: issuer.url }),
    ...changes,
  };
  await ensureBuiltIns({ ...stores, settings, now: () => new Date(), newId: () => crypto.randomUUID() });
  await indexes.start();
  const handle = createApi(deps).callback();
  const server = createServer(PATIENT, (req, res) => void handle(req, res));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  // Signing takes longer than most replies.
  const tokens = new Map<string, Promise<string>>();
  const tokenOf = (roles: readonly string[]) => {
    const known = tokens.get(roles.join()) ?? issuer.token(roles);
    tokens.set(roles.join(), known);
    return known;
  };

  /** Sends one request; the reply is held against the OpenAPI document. */
  async function call(method: string, path: string, { as = ['admin'], body, raw, headers = {} }: Call = {}) {
    const response = await fetch(`${url}${path}`, {
      method,
      redirect: 'manual',
      headers: { ...(as && { authorization: `Bearer ${await tokenOf(as)}` }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(raw !== undefined && { body: raw }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    const reply = {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    };
    checkContract({ method, path, ...reply });
    return reply;
  }

  const stop = async () => {
    server.closeAllConnections();
    await new Promise<void>((done) => server.close(() => done()));
    await indexes.stop();
    await issuer.stop();
  };
  return {
    ...deps,
    routeReaders,
    revisions,
    secretKey,
    subscriptions,
    issuer: deps.issuer ?? createIssuer({ url: issuer.url }),
    url,
    call,
    token: issuer.token,
    testIssuer: issuer,
    signals,
    lines,
    stop,
  };
}
