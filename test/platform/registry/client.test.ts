import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRegistries } from '../../../platform/registry/client.js';
import type { ImageRules } from '../../../platform/kinds/image-rules.js';

let asked = 0;
const server = createServer((_, response) => {
  asked += 1;
  response.writeHead(404).end();
});
let port = 0;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const access = { reason: 'PushFailed' as const, auth: undefined, signal: new AbortController().signal };
const open = (rules: Partial<ImageRules>) => {
  const images = { own: 'registry.example/slipway', images: [], networks: [], ...rules };
  return createRegistries(images, []);
};

test('an image that is not allowed is refused before its registry is asked', () => {
  const image = `127.0.0.1:${port}/team/wine`;
  expect(() => open({}).open(image, access)).toThrow('127.0.0.1 is a loopback address');
  expect(() => open({ registries: ['ghcr.io'] }).open(image, access)).toThrow('SLIPWAY_IMAGE_REGISTRIES allows');
  expect(asked).toBe(0);
});

test('a registry that a setting names is reached at a private address', async () => {
  const registries = open({ registries: [`127.0.0.1:${port}/team`] });
  expect(await registries.open(`127.0.0.1:${port}/team/wine`, access).manifestDigest('1')).toBeUndefined();
  expect(asked).toBe(1);
});
