import type { ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { Interrupted } from '../../cli/interrupt.js';
import { sendJson, startReplyServer, type ReplyServer, type Seen } from '../client/reply-server.js';
import { createSlipwayRunner, type SlipwayRunner } from './slipway.js';

let server: ReplyServer;
let slipway: SlipwayRunner;
afterEach(async () => {
  await server.stop();
  await slipway.remove();
});

/** A server that answers everything in one way, and a command line that talks to it. */
async function answering(answer: (response: ServerResponse, count: number, seen: Seen) => unknown) {
  server = await startReplyServer((seen, response, count) => void answer(response, count, seen));
  slipway = await createSlipwayRunner({ SLIPWAY_SERVER: server.url, SLIPWAY_TOKEN: 't' });
}
/** Sends the beginning of a reply. */
const breakOff = (response: ServerResponse) =>
  response.writeHead(200, { 'content-length': 90 }).write('{"id":', () => response.destroy());
const training = (more: object = {}) => ({
  ...{ kind: 'ModelTraining', id: 'wine', uid: 'u', generation: 1, createdBy: 'ada', updatedBy: 'ada', spec: {} },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' },
  status: { state: 'succeeded', transitions: [], artifacts: [] },
  ...more,
});

// prettier-ignore
test.each([
  [400, 'validation_failed', 2], [400, 'bad_json', 2], [400, 'bad_query', 2], [400, 'api_disabled', 2], [405, 'method_not_allowed', 2],
  [413, 'too_large', 2], [400, 'connection_vital', 5], [422, 'idempotency_mismatch', 5], [401, 'unauthenticated', 3], [403, 'forbidden', 3],
  [404, 'not_found', 4], [409, 'already_exists', 5], [409, 'in_use', 5], [409, 'deleting', 5], [409, 'not_started', 5], [409, 'not_finished', 5],
  [409, 'already_finished', 5], [409, 'not_waiting', 5], [409, 'conflict', 5], [412, 'revision_mismatch', 5], [409, 'stale_generation', 5],
  [502, 'bad_gateway', 6], [504, 'gateway_timeout', 6], [503, 'no_replica', 6], [503, 'unavailable', 6], [429, 'too_many_requests', 6],
  [500, 'internal', 1], [418, 'a_code_of_a_later_version', 1],
])('status %i with code %s ends with %i, and standard output stays empty', async (status, code, exitCode) => {
  await answering((response) =>
    sendJson(response, status, { message: 'the reason', code, requestId: 'r-17' }, { 'retry-after': '0' }),
  );
  const ended = await slipway.run(['get', 'training', 'wine', '-o', 'json']);
  expect([ended.exitCode, ended.out]).toEqual([exitCode, '']);
  expect(ended.err).toContain(`the reason (status ${status}, request r-17)`);
  expect(ended.err.split('\n')).toHaveLength(2);
});

test.each([
  [400, 2],
  [401, 3],
  [403, 3],
  [404, 4],
  [409, 5],
  [502, 6],
  [503, 6],
  [504, 6],
  [500, 1],
])('the page of a proxy with status %i has the exit code of that status', async (status, exitCode) => {
  await answering((response) =>
    response.writeHead(status, { 'content-type': 'text/html', 'x-request-id': 'r-9' }).end('<h1>Error</h1>'),
  );
  const ended = await slipway.run(['get', 'trainings']);
  expect([ended.exitCode, ended.out]).toEqual([exitCode, '']);
  expect(ended.err).toContain(`(status ${status}, request r-9)`);
  expect(ended.err).not.toContain('<h1>');
});

test('a server that is busy for a moment is asked again after the time that it names', async () => {
  await answering((response, count) =>
    count < 3 ? sendJson(response, 503, {}, { 'retry-after': '7' }) : sendJson(response, 200, training()),
  );
  const pauses: number[] = [];
  const pause = async (ms: number) => void pauses.push(ms);
  const { exitCode, out, err } = await slipway.run(['get', 'training', 'wine', '-o', 'name'], { pause });
  expect([exitCode, out, err]).toEqual([0, 'training/wine\n', '']);
  expect(pauses).toEqual([7_000, 7_000]);
});

test('a server that stays busy is an error after five tries', async () => {
  await answering((response) => sendJson(response, 503, { message: 'busy', code: 'unavailable' }));
  const pauses: number[] = [];
  const { exitCode } = await slipway.run(['get', 'trainings'], { pause: async (ms) => void pauses.push(ms) });
  expect([exitCode, server.seen.length, pauses]).toEqual([6, 5, [500, 1_000, 2_000, 4_000]]);
});

test.each([
  ['a reply that breaks off', (response: ServerResponse) => breakOff(response)],
  ['a reply that is no JSON', (response: ServerResponse) => response.writeHead(200).end('<html></html>')],
])('%s is an error without a stack, and nothing is printed', async (_name, answer) => {
  await answering((response) => answer(response.setHeader('content-type', 'application/json')));
  const { exitCode, out, err } = await slipway.run(['get', 'training', 'wine', '-o', 'json']);
  expect([exitCode, out]).toEqual([1, '']);
  expect(err).toMatch(/^Error: /);
  expect(err).not.toMatch(/\n {4}at /);
});

test('a connection that is cut is tried once more', async () => {
  await answering((response, count) => (count === 1 ? response.destroy() : sendJson(response, 200, training())));
  expect(await slipway.run(['get', 'training', 'wine', '-o', 'name'])).toMatchObject({ exitCode: 0, err: '' });
  expect(server.seen).toHaveLength(2);
});

test('a server that is away, and a host that does not exist, end with 6 and name the address', async () => {
  await answering(() => undefined);
  const address = 'http://slipway.invalid:81';
  const failure = Object.assign(new TypeError('fetch failed'), {
    cause: { code: 'ENOTFOUND', message: 'getaddrinfo' },
  });
  const unknown = await slipway.run(['whoami', '--server', address], { fetch: () => Promise.reject(failure) });
  expect([unknown.exitCode, unknown.out]).toEqual([6, '']);
  expect(unknown.err).toContain(`${address} cannot be reached`);
  await server.stop();
  const away = await slipway.run(['whoami']);
  expect(away.exitCode).toBe(6);
  expect(away.err).toContain(server.url);
  await answering(() => undefined);
});

test('Ctrl-C before a reply ends with 130 and says nothing of an error', async () => {
  const stop = new AbortController();
  await answering(() => stop.abort(new Interrupted()));
  const ended = await slipway.run(['get', 'trainings'], { signal: stop.signal });
  expect(ended).toEqual({ exitCode: 130, out: '', err: '' });
});

test('every write has a key, so that a repeat does nothing twice', async () => {
  const keys: (string | string[] | undefined)[] = [];
  await answering((response, _count, { method, headers }) => {
    if (method !== 'POST') return sendJson(response, 200, training());
    keys.push(headers['idempotency-key']);
    return keys.length === 1 ? response.destroy() : sendJson(response, 200, training());
  });
  expect((await slipway.run(['cancel', 'training', 'wine'])).exitCode).toBe(0);
  expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), keys[0]]);
  expect(server.seen[0]?.headers['user-agent']).toBe('slipway-cli/0.0.0-test');
});

test('a change made by another client meanwhile is refused, with the step that follows', async () => {
  const connection = { ...training({ kind: 'Connection' }), spec: { type: 'git', uri: 'https://example.org/old.git' } };
  await answering((response, _count, { method, url }) => {
    if (url === '/api/v1/configuration') return sendJson(response, 200, { training: {}, deployment: {} });
    if (method === 'GET') return sendJson(response, 200, connection);
    return sendJson(response, 412, { message: 'it is of generation 2', code: 'revision_mismatch' });
  });
  const file = await slipway.file(
    'kind: Connection\nid: wine\nspec: { type: git, uri: https://example.org/new.git }\n',
  );
  const { exitCode, err } = await slipway.run(['apply', '-f', file]);
  expect([exitCode, err]).toEqual([
    5,
    expect.stringContaining('connection/wine was not applied: it is of generation 2'),
  ]);
  const put = server.seen.find(({ method }) => method === 'PUT');
  expect(put?.headers['if-match']).toBe('"1"');
});
