import { afterEach, expect, test } from 'vitest';
import { createSlipway, type Entity } from '../../client/index.js';
import { sendJson, startReplyServer, type ReplyServer } from './reply-server.js';

let server: ReplyServer;
afterEach(() => server.stop());
const quick = { pollMs: 1, pause: async () => undefined };

async function serving(...replies: ([number, object] | 'broken')[]) {
  server = await startReplyServer(({ headers }, response) => {
    const reply = replies.length > 1 ? replies.shift() : replies[0];
    if (reply === 'broken' || reply === undefined) return void response.destroy();
    const etag = `"${Buffer.from(JSON.stringify(reply[1])).toString('base64url')}"`;
    if (headers['if-none-match'] === etag) response.writeHead(304).end();
    else sendJson(response, reply[0], reply[1], { etag });
  });
  return createSlipway({ server: server.url, credentials: { token: 't' }, pause: async () => undefined });
}
const training = (state: string) => ({ kind: 'ModelTraining', id: 'wine', spec: {}, status: { state } });

test('a wait reports every change once and ends with the final state, over a server that restarts', async () => {
  const unavailable: [number, object] = [503, { message: 'busy', code: 'unavailable' }];
  const running: [number, object] = [200, training('running')];
  const slipway = await serving(
    [200, training('unknown')],
    running,
    running,
    'broken',
    'broken',
    'broken',
    unavailable,
    running,
    [200, training('failed')],
  );
  const states: string[] = [];
  const onChange = ({ status }: Entity<'ModelTraining'>) => void states.push(status.state);
  const end = await slipway.wait('ModelTraining', 'wine', { ...quick, onChange });
  expect(end.status.state).toBe('failed');
  expect(states).toEqual(['unknown', 'running', 'failed']);
});

test('a deployment is ready with as many replicas as it wants at least', async () => {
  const deployment = (state: string, availableReplicas: number): [number, object] => [
    200,
    { kind: 'ModelDeployment', id: 'wine', spec: { minReplicas: 2 }, status: { state, availableReplicas } },
  ];
  const slipway = await serving(deployment('Processing', 2), deployment('Ready', 1), deployment('Ready', 2));
  expect((await slipway.wait('ModelDeployment', 'wine', quick)).status.availableReplicas).toBe(2);
});

test('a wait has an end, and an entity that is not there is no reason to wait', async () => {
  const slipway = await serving([200, training('running')]);
  await expect(slipway.wait('ModelTraining', 'wine', { ...quick, timeoutMs: 20 })).rejects.toMatchObject({
    code: 'timeout',
  });
  await server.stop();
  const other = await serving([404, { message: 'entity "wine" is not found', code: 'not_found' }]);
  await expect(other.wait('ModelTraining', 'wine', quick)).rejects.toMatchObject({ code: 'not_found', status: 404 });
});

test('a list is read page by page', async () => {
  server = await startReplyServer(({ url }, response) => {
    const page = Number(new URL(url, 'http://x').searchParams.get('page'));
    sendJson(
      response,
      200,
      Array.from({ length: page === 0 ? 500 : 3 }, (_, at) => ({ id: `t${page}-${at}` })),
    );
  });
  const slipway = createSlipway({ server: server.url, credentials: { token: 't' } });
  expect(await slipway.entities('ModelTraining').list({ state: ['failed', 'running'] })).toHaveLength(503);
  expect(server.seen[0]?.url).toBe('/api/v1/model/training?state=failed&state=running&size=500&page=0');
});
