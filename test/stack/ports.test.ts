import { createServer, type AddressInfo, type Server } from 'node:net';
import { expect, test } from 'vitest';
import { choosePorts } from '../../platform/kinds/ports.js';
import { findFreePortBase, isPortFree, requireFreePort } from '../../stack/ports.js';

const declared = { temporal: 7233, temporalUi: 8233 };

async function withListener(act: (port: number) => Promise<void>): Promise<void> {
  const server: Server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await act((server.address() as AddressInfo).port);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

test('without a base the well-known ports are used, Temporal those of its declaration', () => {
  expect(choosePorts(undefined, { temporal: 7000, temporalUi: 7001 })).toEqual({
    gateway: 8080,
    api: 8081,
    temporal: 7000,
    temporalUi: 7001,
    mongodb: 27_017,
    storage: 4443,
    registry: 5000,
    issuer: 9000,
    apiInternal: 8082,
    gatewayInternal: 8083,
  });
});

test('with a base every port lies within its ten, each once', () => {
  const ports = Object.values(choosePorts(20_000, declared));
  expect(new Set(ports).size).toBe(ports.length);
  for (const port of ports) expect(port >= 20_000 && port < 20_010).toBe(true);
});

test('a port in use is refused with its number, its holder and what to do', async () => {
  await withListener(async (port) => {
    const refusal = requireFreePort(port, 'storage');
    await expect(refusal).rejects.toThrow(`port ${port} of storage is in use by process ${process.pid} (`);
    await expect(refusal).rejects.toThrow('SLIPWAY_PORT_BASE');
  });
});

test('a port is free again once its holder let go', async () => {
  let port = 0;
  await withListener(async (taken) => {
    port = taken;
    expect(await isPortFree(port)).toBe(false);
  });
  await expect(requireFreePort(port, 'storage')).resolves.toBeUndefined();
});

test('a free base has ten free ports', async () => {
  const base = await findFreePortBase();
  const free = await Promise.all(Array.from({ length: 10 }, (_, offset) => isPortFree(base + offset)));
  expect(free).toEqual(Array(10).fill(true));
});
