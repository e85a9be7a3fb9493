import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose';
import { createGateway, type GatewayOptions } from '../../gateway/gateway.js';
import { createRoutes } from '../../gateway/routes.js';
import { createSpool, type Spool } from '../../gateway/spool.js';
import { createVerifyCaller } from '../../gateway/caller.js';
import { createIssuer } from '../../platform/auth/issuer.js';
import type { Frame } from '../../gateway/frame.js';
import { decodeFrame } from '../../gateway/frame.js';
import { listSegments, readFrames } from '../../gateway/segment.js';
import type { Endpoint } from '../../lifecycle/kinds/endpoint.js';
import type { Route } from '../../lifecycle/kinds/route.js';
import { createRouteReaders } from '../../lifecycle/stores/route-readers.js';
import { createMemoryDatabase } from '../../platform/stores/memory-database.js';
import { PATIENT } from '../patient-server.js';
import { silent } from './silent.js';

/** The parts around a gateway, each a real server on a free port of this machine. */

export async function listen(handler: RequestListener | Server): Promise<{ url: string; server: Server }> {
  const server = typeof handler === 'function' ? createServer(PATIENT, handler) : handler;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

export async function shut(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** An OpenID issuer with one signing key that can be replaced. */
async function startIssuer() {
  let kid = '';
  let key: CryptoKey;
  let jwks: unknown;
  let asked = 0;
  async function rotate(): Promise<void> {
    const pair = await generateKeyPair('ES256', { extractable: true });
    kid = randomUUID();
    key = pair.privateKey;
    jwks = { keys: [{ ...(await exportJWK(pair.publicKey)), kid, alg: 'ES256', use: 'sig' }] };
  }
  await rotate();
  const { url, server } = await listen((req, res) => {
    asked += 1;
    const body = req.url === '/jwks' ? jwks : { issuer: url, jwks_uri: `${url}/jwks` };
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  return {
    url,
    rotate,
    asked: () => asked,
    token: (roles: string[], { expires = '1h', audience = 'slipway', issuer = url } = {}): Promise<string> =>
      new SignJWT({ realm_access: { roles } })
        .setProtectedHeader({ alg: 'ES256', kid })
        .setSubject('tester')
        .setIssuer(issuer)
        .setAudience(audience)
        .setExpirationTime(expires)
        .sign(key),
    stop: () => shut(server),
  };
}

export const wine = (replicas: string[], more: Partial<Endpoint> = {}): Endpoint => ({
  id: 'wine',
  uid: 'b7c0e6e2-1111-4222-8333-444455556666',
  generation: 3,
  roleName: 'wine-callers',
  modelName: 'wine model',
  modelVersion: '1.0',
  timeoutSeconds: 60,
  feedback: true,
  replicas: replicas.map((url, index) => ({ name: `wine-r${index}`, url })),
  info: {},
  ...more,
});

export const NO_ROUTES = { get: async () => undefined, list: async () => [] };

/** A stored custom route. */
export const customRoute = (id: string, targets: Record<string, number>, more: Partial<Route['spec']> = {}): Route => ({
  ...{ kind: 'ModelRoute', id, uid: id, generation: 1, revision: 1, createdBy: 'tester', updatedBy: 'tester' },
  ...{ createdAt: '2026-11-20T08:00:00.000Z', updatedAt: '2026-11-20T08:00:00.000Z' },
  spec: {
    urlPrefix: `/custom/${id}`,
    modelDeployments: Object.entries(targets).map(([mdName, weight]) => ({ mdName, weight })),
    sticky: {},
    ...more,
  },
  status: { edgeUrl: '', state: '' },
});

type More = Partial<Omit<GatewayOptions, 'routes' | 'spool'>> & {
  spoolLimitBytes?: number;
  pollMs?: number;
  /** Custom routes that are there from the start. */
  custom?: Route[];
};

/** A gateway before the given deployments, its spool in a folder of its own. */
export async function startEdge(
  given: Endpoint[],
  { spoolLimitBytes, pollMs = 20, lateMs = 60_000, custom = [], ...options }: More = {},
  append?: Spool['append'],
) {
  const dir = await mkdtemp(join(tmpdir(), 'slipway-gateway-'));
  const issuer = await startIssuer();
  const table = new Map(given.map((endpoint) => [endpoint.id, endpoint]));
  const endpoints = { get: async (id: string) => table.get(id), list: async () => [...table.values()] };
  const routeTable = new Map(custom.map((route) => [route.id, route]));
  const stored = { get: async (id: string) => routeTable.get(id), list: async () => [...routeTable.values()] };
  const readers = createRouteReaders({ database: createMemoryDatabase() });
  const copyPath = join(dir, 'routes.json');
  const routes = await createRoutes({ endpoints, customRoutes: stored, readers, copyPath, log: silent, pollMs });
  const spoolDir = join(dir, 'spool');
  const spool = await createSpool({ dir: spoolDir, log: silent, limitBytes: spoolLimitBytes });
  const trusted = createIssuer({ url: issuer.url });
  const roleClaims = ['realm_access.roles'];
  const gateway = createGateway({
    routes,
    verify: createVerifyCaller({ issuer: trusted, audience: ['slipway'], roleClaims }),
    spool: append === undefined ? spool : { ...spool, append },
    apiUrl: 'http://127.0.0.1:9',
    log: silent,
    lateMs, // a busy machine may be slow to write: each reply waits for its record
    announceMs: 0,
    ...options,
  });
  const { url } = await listen(gateway.server);
  const internal = await listen(gateway.internal);
  const authorization = `Bearer ${await issuer.token(['data_scientist'])}`;

  return {
    url,
    server: gateway.server,
    internalUrl: internal.url,
    dir,
    spoolDir,
    issuer,
    table,
    routeTable,
    readers,
    routes,
    spool,
    authorization,
    bearer: async (...roles: string[]) => `Bearer ${await issuer.token(roles)}`,
    invoke: (body: string, headers: Record<string, string> = {}, id = 'wine') =>
      fetch(`${url}/model/${id}/api/model/invoke`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json', ...headers },
        body,
      }),
    async frames(): Promise<Frame[]> {
      const segments = await listSegments(spoolDir);
      const read = await Promise.all(segments.map(({ path }) => readFrames(path, 0, Infinity)));
      return read.flat().map(decodeFrame);
    },
    metrics: async () => (await fetch(`${internal.url}/metrics`)).text(),
    async stop(): Promise<void> {
      await gateway.close();
      await routes.close();
      trusted.close();
      await spool.close();
      await issuer.stop();
      await rm(dir, { recursive: true, maxRetries: 10 }); // the copy of the routes may be written just now
    },
  };
}

/** A model server: answers with what `answer` makes of a request, and remembers what it got. */
export async function startModel(answer: (call: Call) => Answer | Promise<Answer> = echo) {
  const calls: Call[] = [];
  const { url, server } = await listen((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const call: Call = {
        method: req.method ?? '',
        url: req.url ?? '',
        headers: req.headers,
        rawHeaders: req.rawHeaders,
        body: Buffer.concat(chunks).toString(),
      };
      calls.push(call);
      void Promise.resolve(answer(call)).then(({ status = 200, headers = {}, body = '' }) => {
        res.writeHead(status, {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          ...headers,
        });
        res.end(body);
      });
    });
  });
  return { url, server, calls, stop: () => shut(server) };
}

export interface Call {
  method: string;
  url: string;
  headers: NodeJS.Dict<string | string[]>;
  rawHeaders: string[];
  body: string;
}
interface Answer {
  status?: number;
  headers?: Record<string, string | string[]>;
  body?: string;
}
const echo = ({ body }: Call): Answer => ({ body });

/** Polls until it holds. */
export async function eventually(holds: () => boolean | Promise<boolean>, withinMs = 120_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error('it did not come true in time');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
