import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { request } from 'undici';
import { createRegistryAgent } from '../../../platform/outbound/registry-agent.js';

const server = createServer((_, response) => response.end('{}'));
let port = 0;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const open = (own: string, registries?: string[]) =>
  createRegistryAgent({ own, registries, images: [], networks: [] }, async () => ['127.0.0.1']);
const ask = async (host: string, agent: ReturnType<typeof open>) =>
  (await request(`http://${host}:${port}/v2/`, { dispatcher: agent })).statusCode;

test('the registries that settings name are reached at any address, others at public ones', async () => {
  const agent = open(`127.0.0.1:${port}/slipway`, ['registry.corp/team']);
  expect(await ask('127.0.0.1', agent)).toBe(200);
  expect(await ask('registry.corp', agent)).toBe(200);
  for (const host of ['realm.example', 'localhost', '127.0.0.2'])
    await expect(ask(host, agent)).rejects.toMatchObject({ code: 'url.not_allowed' });
  await agent.close();
});

test('a registry is not open because another one is', async () => {
  const agent = open('ghcr.io/acme');
  await expect(ask('127.0.0.1', agent)).rejects.toMatchObject({ code: 'url.not_allowed' });
  await agent.close();
});
