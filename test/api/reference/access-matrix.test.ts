import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AccessRow, cellOf, readTable, toTable } from '../access-table.js';
import { declareAll, type Reply, startTestReference, type TestReference } from './test-reference.js';

const COLUMNS = ['admin', 'data_scientist', 'viewer', 'key_of_dataset', 'key_of_another', 'no_credential'] as const;
type Column = (typeof COLUMNS)[number];
type Send = (method: string, path: string, body?: object, headers?: Record<string, string>) => Promise<Reply>;

let api: TestReference;
const callers = new Map<Column, Send>();
const owners = new Map<Column, Send>();
let stranger: Send;

/** All that a key can be given without being that of an operator, for one dataset. */
const keyScopes = (dataset: string): string[] => [
  `data:read:${dataset}`,
  `data:write:${dataset}`,
  ...['subscriptions:read', 'subscriptions:write', 'watches:read', 'watches:write'],
];

beforeAll(async () => {
  api = await startTestReference();
  await declareAll(api);
  const send =
    (credential: { key?: string; token?: string }): Send =>
    (method, path, body, headers = {}) => {
      const { key, token } = credential;
      const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
      return api.call(method, path, { as: null, key, body, headers: { ...headers, ...authorization } });
    };
  const tokenOf = (role: string, subject: string) => api.issuer.token([role], { subject });
  stranger = send({ token: await tokenOf('admin', 'stranger') });
  const same = send({ token: await tokenOf('admin', 'caller') });
  for (const role of ['admin', 'data_scientist', 'viewer'] as const) {
    callers.set(role, send({ token: await tokenOf(role, 'caller') }));
    owners.set(role, same);
  }
  const issue = async (dataset: string) => {
    const body = { name: dataset, scopes: keyScopes(dataset) };
    return send({ key: (await stranger('POST', '/v2/keys', body)).body.secret });
  };
  const key = await issue('positions');
  callers
    .set('key_of_dataset', key)
    .set('key_of_another', await issue('skills'))
    .set('no_credential', send({}));
  owners.set('key_of_dataset', key);
});
afterAll(() => api.stop());

function routes(): string[] {
  return api.router.stack.flatMap(({ methods, path }) =>
    methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${String(path)}`),
  );
}

let made = 0;
const ROW = { title: 'Crane operator', staffing_status: 'Open' };

async function newSubscription(owner: Send, mode: 'push' | 'pull'): Promise<{ id: string; kid: string }> {
  const address = mode === 'push' ? { url: 'https://hr.example/' } : {};
  const body = { name: 'a', mode, types: ['dataset.positions.*'], ...address };
  const created = (await owner('POST', '/v2/subscriptions', body)).body;
  const { id } = created;
  if (mode === 'push') {
    // A port where nothing listens: a test event must not leave this machine.
    await api.subscriptions.update(id, (each) => ({ ...each, spec: { ...each.spec, url: 'http://127.0.0.1:9/' } }));
  }
  const notice = { sequence: 1, id: `ntc_${id}`, eventId: 'evt_1', about: '1', body: '{}' };
  const notices = [{ ...notice, type: 'dataset.positions.created' }];
  const at = new Date().toISOString();
  await api.outbox.insert(id, { block: 1, from: 1, notices, sources: {}, at, token: 't' });
  await api.ledger.settle({ subscription: id, sequence: 1 }, { episode: 0, state: 'failed', by: 'exhausted', at });
  await owner('POST', `/v2/subscriptions/${id}/recover`, { dry_run: true });
  return { id, kid: created.keys[0].kid };
}

/** Creates what the route is about, by its owner. @returns the path of a request for it */
async function arrange(route: string, owner: Send): Promise<string> {
  const [, path = ''] = route.split(' ');
  const fill = (values: Record<string, string>) =>
    path.replace(/:(\w+)/g, (_, name: string) => {
      const value = values[name];
      if (value === undefined) throw new Error(`${route}: the test has no value for :${name}`);
      return value;
    });
  if (!path.includes(':')) return path;
  const [, , collection = ''] = path.split('/');
  made += 1;
  switch (collection) {
    case 'subscriptions':
      return fill({ ...(await newSubscription(owner, 'push')), sequence: '1', recovery: 'rec_1' });
    case 'feed': {
      const { id } = await newSubscription(owner, 'pull');
      await owner('PUT', `/v2/feed/${id}/consumers/a`, {});
      return fill({ id, name: 'a' });
    }
    case 'watches': {
      const body = { name: 'a', scope: { dataset: 'positions' }, period: 'P1D' };
      return fill({ id: (await owner('POST', '/v2/watches', body)).body.id });
    }
    case 'keys': {
      const body = { name: 'a', scopes: ['data:read:positions'] };
      return fill({ id: (await stranger('POST', '/v2/keys', body)).body.id });
    }
    case 'datasets':
      return fill({ name: 'positions' });
    case 'problems':
      return fill({ code: 'entity.deleted' });
    case 'event-types':
      return fill({ type: 'dataset.positions.created', version: '1' });
    default: {
      const isImport = path.includes('/imports');
      const where = isImport ? '/v2/positions/imports?format=ndjson' : `/v2/positions/${made}`;
      const { body } = await (isImport ? owner('POST', where) : owner('PUT', where, ROW));
      return fill({ dataset: 'positions', id: isImport ? body.id : String(made) });
    }
  }
}

async function statusFor(route: string, column: Column, isOwn: boolean): Promise<number> {
  const [method = ''] = route.split(' ');
  const path = await arrange(route, (isOwn ? owners.get(column) : undefined) ?? stranger);
  const hasBody = ['POST', 'PUT', 'PATCH'].includes(method);
  const reply = await callers.get(column)?.(method, path, hasBody ? {} : undefined, { 'if-match': '*' });
  if (reply === undefined || reply.status >= 500) throw new Error(`${column} ${method} ${path}: ${reply?.text}`);
  return reply.status;
}

test('each credential gets of each route what the reviewed table says', async () => {
  const rows: AccessRow[] = [];
  for (const route of [...new Set(routes())]) {
    const cells: string[] = [];
    for (const column of COLUMNS) {
      cells.push(cellOf(await statusFor(route, column, true), await statusFor(route, column, false)));
    }
    rows.push({ route, cells });
  }
  const found = toTable(COLUMNS, rows);
  expect(found).toBe(await readTable('access-data.txt'));
});
