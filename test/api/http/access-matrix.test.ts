import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRouter } from '../../../api/app.js';
import { KIND_ROWS } from '../../../openapi/lifecycle/kinds.js';
import { type AccessRow, cellOf, readTable, toTable } from '../access-table.js';
import { startTestApi, type TestApi } from '../test-api.js';

let api: TestApi;
beforeAll(async () => {
  const finding = {
    at: 0,
    row: { kind: 'feedback', model: 'wine', version: '1', key: '', records: 1, part: '' },
  } as const;
  const recordedCalls = { read: async () => ({ found: [{ finding }], truncated: false }) };
  api = await startTestApi({ recordedCalls }, { SLIPWAY_DELETE_PROTECTION: 'false' });
  const spec = { type: 'git', uri: 'https://example.org/code.git', reference: 'main' };
  await as('operator', ['admin'])('POST', '/api/v1/connection', { id: 'wine-code', spec });
  const service = KIND_ROWS.find(({ kind }) => kind === 'InferenceService')?.example;
  await as('operator', ['admin'])('POST', '/api/v1/batch/service', service);
  const routed = { image: 'registry.example.org/routed:1', predictor: 'platform-ml-server' };
  await as('operator', ['admin'])('POST', '/api/v1/model/deployment', { id: ROUTED, spec: routed });
});
afterAll(() => api.stop());

const COLUMNS = ['admin', 'data_scientist', 'viewer', 'another_role', 'no_token'] as const;
const ROLES: Readonly<Record<(typeof COLUMNS)[number], string[] | null>> = {
  admin: ['admin'],
  data_scientist: ['data_scientist'],
  viewer: ['viewer'],
  another_role: ['wine-callers'],
  no_token: null,
};

const tokens = new Map<string, Promise<string>>();
/** Sends requests of one subject with these roles; `null`: without a token. */
function as(subject: string, roles: readonly string[] | null) {
  return async (method: string, path: string, body?: object) => {
    const key = `${subject} ${roles?.join()}`;
    const token = roles && (tokens.get(key) ?? api.token(roles, { subject }));
    if (token) tokens.set(key, token);
    const headers: Record<string, string> = token ? { authorization: `Bearer ${await token}` } : {};
    return api.call(method, path, { as: null, headers, ...(body && { body }) });
  };
}

function routes(): string[] {
  const router = createRouter({ ...api, now: () => new Date(), newId: () => 'id' });
  return router.stack.flatMap(({ methods, path }) =>
    methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${String(path)}`),
  );
}

/** The deployment that routes lead to. */
const ROUTED = 'routed';
let made = 0;
/** The body of a new object of the collection in a path; a pipeline has an approval by named roles. */
function bodyFor(path: string): { id: string; spec: object } | undefined {
  const row = [...KIND_ROWS].reverse().find((each) => `${path}/`.startsWith(`/api/v1${each.path}/`));
  if (row === undefined) return undefined;
  const example = row.example as { spec: object };
  made += 1;
  const route = { urlPrefix: `/custom/a${made}`, modelDeployments: [{ mdName: ROUTED }] };
  if (row.kind === 'ModelRoute') return { id: `a${made}`, spec: route };
  const approval = { timeoutSeconds: 60, roles: ['admin', 'data_scientist'] };
  const spec = row.kind === 'ModelPipeline' ? { ...example.spec, gates: { approval } } : example.spec;
  return { id: `a${made}`, spec };
}

/** Creates what the route is about, by its owner. @returns the path and body of a request for it */
async function arrange(route: string, owner: string): Promise<{ path: string; body?: object }> {
  const [method = '', pattern = ''] = route.split(' ');
  const create = as(owner, ['admin']);
  const body = bodyFor(pattern);
  if (body === undefined) return { path: await fixedPath(pattern, create) };
  const collection = pattern.split('/:')[0] ?? '';
  if (method === 'POST' && !pattern.includes(':')) return { path: pattern, body };
  const created = await create('POST', collection.replace(/-events$/, ''), body);
  if (created.status !== 201 && pattern.includes(':')) throw new Error(`${route}: ${created.text}`);
  if (pattern.includes('/run')) await create('POST', `${collection}/${body.id}/run`);
  // The server draws the id of a job.
  const path = pattern.replace(':id', created.body?.id ?? body.id).replace(':number', '1');
  if (method === 'PUT') return { path, body };
  return { path, ...(/approve|reject/.test(path) && { body: { reason: 'it is good' } }) };
}

async function fixedPath(pattern: string, create: ReturnType<typeof as>): Promise<string> {
  if (pattern.includes('/lineage/')) {
    const body = bodyFor('/api/v1/model/deployment');
    await create('POST', '/api/v1/model/deployment', body);
    return pattern.replace(':kind', 'deployment').replace(':id', body?.id ?? '');
  }
  return pattern.replace(':file', 'swagger-ui.css');
}

const readable = new Map<string, ReturnType<typeof arrange>>();
/** A read leaves the object as it is, for the next caller. */
function arranged(route: string, owner: string): ReturnType<typeof arrange> {
  if (!route.startsWith('GET')) return arrange(route, owner);
  const key = `${route} ${owner}`;
  const known = readable.get(key) ?? arrange(route, owner);
  readable.set(key, known);
  return known;
}

async function statusFor(route: string, column: (typeof COLUMNS)[number], isOwn: boolean): Promise<number> {
  const [method = ''] = route.split(' ');
  const { path, body } = await arranged(route, isOwn ? 'caller' : 'owner');
  const { status, text } = await as('caller', ROLES[column])(method, path, body);
  if (status >= 500) throw new Error(`${column} ${method} ${path}: ${text}`);
  return status;
}

test('each role gets of each route what the reviewed table says', async () => {
  const rows: AccessRow[] = [];
  for (const route of [...new Set(routes())].sort(byPath)) {
    const cells: string[] = [];
    for (const column of COLUMNS) {
      cells.push(cellOf(await statusFor(route, column, true), await statusFor(route, column, false)));
    }
    rows.push({ route, cells });
  }
  const found = toTable(COLUMNS, rows);
  expect(found).toBe(await readTable('access-management.txt'));
});

const byPath = (one: string, other: string): number => pathFirst(one).localeCompare(pathFirst(other), 'en');
const pathFirst = (route: string): string => route.split(' ').reverse().join(' ');
