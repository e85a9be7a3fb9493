import { Agent, request } from 'node:http';
import { expect, test } from 'vitest';
import { eventually, listen, shut, startEdge, startModel, wine } from './edge.js';

test('a gateway that closes says so in the replies of its last requests, whoever answers', async () => {
  let finish: (() => void) | undefined;
  const model = await startModel(() => ({ body: '{"prediction":[1]}' }));
  const api = await listen((_req, res) => void (finish = () => res.end('ok')));
  const edge = await startEdge([wine([model.url])], { apiUrl: api.url, announceMs: 60_000 });
  const agent = new Agent({ keepAlive: true, maxSockets: 2 });
  /** @returns the header of the reply */
  const ask = (path: string): Promise<string | undefined> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: edge.authorization };
      const sent = request(`${edge.url}${path}`, { agent, headers, method: 'POST' }, (reply) => {
        reply.resume().on('end', () => resolve(reply.headers.connection));
      });
      sent.on('error', reject).end('{}');
    });
  const invoke = () => ask('/model/wine/api/model/invoke');

  expect(await Promise.all([invoke(), invoke()])).toEqual(['keep-alive', 'keep-alive']); // two connections
  const underWay = ask('/api/v1/anything');
  await eventually(() => finish !== undefined);
  const stopped = edge.stop();
  expect(await invoke()).toBe('close');
  finish?.();
  expect(await underWay).toBe('close');
  await stopped;
  agent.destroy();
  await shut(api.server);
  await model.stop();
});
