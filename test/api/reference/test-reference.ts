import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { Agent } from 'undici';
import { createBearer } from '../../../api/reference/bearer.js';
import { createIssuer } from '../../../platform/auth/issuer.js';
import { createReferenceApi, type ReferenceApiOptions } from '../../../api/reference/app.js';
import type { WebhookPolicy } from '../../../platform/kinds/webhook-url.js';
import { createAudit } from '../../../platform/stores/audit.js';
import { createApiKeys } from '../../../platform/stores/api-keys.js';
import type { Database } from '../../../platform/stores/database.js';
import type { ProbeReport } from '../../../notifications/kinds/probe.js';
import { createDatasets } from '../../../reference/stores/datasets.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createImports } from '../../../reference/stores/imports.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import type { ObjectStore } from '../../../platform/stores/objects.js';
import { createReservedIds } from '../../../platform/stores/reserved-ids.js';
import { createSecretBox } from '../../../platform/stores/secrets.js';
import { createWebhookSender } from '../../../activities/notifications/webhook-sender.js';
import type { ProbeRequest } from '../../../notifications/delivery/probe.js';
import { openFeed } from '../../../workers/compose/feed.js';
import { createNotificationStores, openTestEvent } from '../../../workers/compose/notification-deps.js';
import { createWatchRouteStores } from '../../../workers/compose/watches.js';
import { startTestIssuer, type TestIssuer } from '../test-issuer.js';
import { PATIENT } from '../../patient-server.js';

interface Call {
  /** Scopes of the token; `null`: no credential at all. */
  as?: readonly string[] | null;
  /** Sent as `x-api-key` instead of a token. */
  key?: string;
  body?: unknown;
  /** Body as it is, JSON or not. */
  raw?: string | Buffer;
  headers?: Record<string, string>;
}

export const ALL_SCOPES = [
  'data:read:*',
  'data:write:*',
  'datasets:admin',
  'keys:admin',
  'pipelines:read',
  'subscriptions:read',
  'subscriptions:write',
  'watches:read',
  'watches:write',
];

export interface TestReferenceOptions {
  database?: Database;
  objects?: ObjectStore;
  issuer?: TestIssuer;
  /** Where webhooks may go; public addresses alone by default. */
  policy?: WebhookPolicy;
  most?: { subscriptions: number };
  changes?: Partial<ReferenceApiOptions>;
}

/** One process that serves reference data, listening on a port of its own. */
export async function startTestReference(options: TestReferenceOptions = {}) {
  const { database = createMemoryDatabase(), objects = createMemoryObjects(), changes = {} } = options;
  const issuer = options.issuer ?? (await startTestIssuer());
  const lines: string[] = [];
  const logger = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) });
  const datasets = createDatasets({ database, indexed: true });
  const keys = createApiKeys({ database });
  await Promise.all([datasets.start(), keys.start()]);
  const verifyBearer = createBearer({
    issuer: createIssuer({ url: issuer.url }),
    audience: ['slipway'],
    roleClaims: ['roles'],
  });
  const reservedIds = createReservedIds({ database });
  const box = createSecretBox({ key: randomBytes(32).toString('base64') });
  const started: string[] = [];
  const importRuns = {
    start: async ({ id }: { id: string }) => void started.push(`start ${id}`),
    cancel: async (id: string) => void started.push(`cancel ${id}`),
  };
  const audit = createAudit({ database });
  const imports = createImports({ database, objects });
  const dispatcher = new Agent();
  const notificationStores = createNotificationStores(database);
  const feed = openFeed({ ...notificationStores, database, baseUrl: 'http://slipway.test' });
  const receiver: { report: Omit<ProbeReport, 'at'>; asked: ProbeRequest[] } = {
    report: { answered: true, level: 'L0', receipts: 'none', steps: [] },
    asked: [],
  };
  const notifying = {
    ...notificationStores,
    feed: feed.source,
    activateSettings: feed.bringIntoForce,
    sleep: async (ms: number) => void started.push(`sleep ${ms}`),
    notifications: { wake: async (id: string) => void started.push(`wake ${id}`) },
    probe: async (probing: ProbeRequest): Promise<ProbeReport> => {
      receiver.asked.push(probing);
      return { at: new Date().toISOString(), ...receiver.report };
    },
    sendTest: openTestEvent({ box, sender: createWebhookSender({ dispatcher }) }),
    ...(options.most && { mostSubscriptions: options.most.subscriptions }),
    policy: options.policy ?? { networks: [], http: false, ports: [443] },
    resolve: async (name: string) => (name.endsWith('.internal') ? ['10.0.0.7'] : ['93.184.215.14']),
  };
  const watching = { ...createWatchRouteStores(database), start: async () => void started.push('watches') };
  const given = {
    notifying,
    watching,
    imports,
    importRuns,
    tokens: box,
    datasets,
    keys,
    reservedIds,
    verifyBearer,
    audit,
    logger,
    ratePerSecond: 100_000,
    ...changes,
  };
  const handle = createReferenceApi(given);
  const server = createServer({ ...PATIENT, maxHeaderSize: 96 * 1_024 }, handle);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  // Signing takes longer than most replies.
  const tokens = new Map<string, Promise<string>>();
  const tokenOf = (scopes: readonly string[]) => {
    const scope = scopes.join(' ');
    const known = tokens.get(scope) ?? issuer.token([], { claims: { scope } });
    tokens.set(scope, known);
    return known;
  };

  async function call(method: string, path: string, { as = ALL_SCOPES, key, body, raw, headers = {} }: Call = {}) {
    const credential: Record<string, string> = {};
    if (key !== undefined) credential['x-api-key'] = key;
    else if (as) credential.authorization = `Bearer ${await tokenOf(as)}`;
    const response = await fetch(`${url}${path}`, {
      method,
      redirect: 'manual',
      headers: { ...credential, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(raw !== undefined && { body: raw }),
    });
    const text = await response.text();
    const isJson = /^application\/(problem\+|graphql-response\+|jwk-set\+|schema\+)?json/.test(
      response.headers.get('content-type') ?? '',
    );
    const reply = {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
    };
    // Errors of GraphQL come in its own form, each with one of our codes.
    const isGraph =
      path.startsWith('/v2/graphql') && Array.isArray(reply.body?.errors) && 'extensions' in reply.body.errors[0];
    if (response.status >= 400 && !isGraph) checkProblem(reply);
    return reply;
  }

  const stop = async () => {
    server.closeAllConnections();
    await dispatcher.destroy();
    await new Promise<void>((done) => server.close(() => done()));
    await Promise.all([datasets.stop(), keys.stop(), feed.stop(), ...(options.issuer ? [] : [issuer.stop()])]);
  };
  const { router } = handle;
  return {
    ...notifying,
    receiver,
    watching,
    router,
    database,
    objects,
    imports,
    audit,
    started,
    datasets,
    keys,
    url,
    call,
    tokenOf,
    issuer,
    lines,
    stop,
  };
}
export type TestReference = Awaited<ReturnType<typeof startTestReference>>;
export type Reply = Awaited<ReturnType<TestReference['call']>>;

/** Every error of `/v2` is a problem document with a code that is explained. */
function checkProblem({ status, headers, body }: { status: number; headers: Headers; body: Record<string, unknown> }) {
  const type = headers.get('content-type');
  if (
    type !== 'application/problem+json' ||
    body.status !== status ||
    body.type !== `/v2/problems/${String(body.code)}`
  ) {
    throw new Error(`${status} is no problem document: ${type} ${JSON.stringify(body)}`);
  }
}

export const SKILLS = {
  title: 'Skills',
  fields: { name: { type: 'text', required: true, max_length: 100 }, level: { type: 'integer' } },
};
const POSITIONS = {
  title: 'Positions',
  fields: {
    title: { type: 'text', required: true, max_length: 200 },
    staffing_status: { type: 'enum', values: ['Open', 'Filled', 'On Hold', 'Closed'], required: true },
    customer: { type: 'object', fields: { id: { type: 'id', required: true }, name: { type: 'text' } } },
    skills: { type: 'list', of: { type: 'ref', dataset: 'skills', on_delete: 'keep' } },
    day_rate: { type: 'decimal' },
  },
};

/** Declares both, or more, in order. */
export async function declareAll(
  api: TestReference,
  specs: Record<string, object> = { skills: SKILLS, positions: POSITIONS },
) {
  for (const [name, spec] of Object.entries(specs)) {
    const reply = await api.call('PUT', `/v2/datasets/${name}`, { body: { kind: 'Dataset', id: name, spec } });
    if (reply.status !== 201) throw new Error(`${name}: ${reply.text}`);
  }
}
