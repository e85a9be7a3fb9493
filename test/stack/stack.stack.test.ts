import { mkdir, readFile, stat, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { expect, test } from 'vitest';
import { connectDocker } from '../../platform/engines/docker/connect.js';
import { createDockerEngine } from '../../platform/engines/docker/engine.js';
import { exists } from '../../stack/cache.js';
import { choosePorts } from '../../platform/kinds/ports.js';
import { isPortFree } from '../../stack/ports.js';
import type { ServiceName } from '../../stack/service.js';
import { resetStack, stackStatus, startStack, stopStack } from '../../stack/stack.js';
import { findTestPortBase } from './port-base.js';
import { inScratchFolder, until } from './scratch.js';

const LIGHT: readonly ServiceName[] = ['mongodb', 'storage'];
const declared = { temporal: 1, temporalUi: 2 };
const silent = () => undefined;
// The settings of the stack that these tests themselves run beside must not make this one smaller.
const environment = { PATH: process.env.PATH, HOME: process.env.HOME, XDG_CACHE_HOME: process.env.XDG_CACHE_HOME };

interface Trial {
  stateDir: string;
  portBase: number;
  start: (only?: readonly ServiceName[]) => Promise<Record<string, string>>;
  lines: string[];
}

async function withStack(act: (trial: Trial) => Promise<void>): Promise<void> {
  await inScratchFolder(async (stateDir) => {
    const portBase = await findTestPortBase();
    const lines: string[] = [];
    const report = (line: string) => void lines.push(line);
    const start = (only = LIGHT) => startStack({ stateDir, portBase, environment, only, report });
    try {
      await act({ stateDir, portBase, start, lines });
    } finally {
      await resetStack({ stateDir, report: silent });
    }
  });
}

async function pids(stateDir: string): Promise<Record<string, number | undefined>> {
  return Object.fromEntries((await stackStatus({ stateDir })).map(({ name, pid }) => [name, pid]));
}

test('start, status, second start, stop and reset of a part', async () => {
  await withStack(async ({ stateDir, portBase, start, lines }) => {
    const settings = await start();
    expect(settings).toMatchObject({
      MONGODB_URI: `mongodb://127.0.0.1:${portBase + 4}`,
      STORAGE_API_ENDPOINT: `http://127.0.0.1:${portBase + 5}`,
      SLIPWAY_BASE_URL: `http://127.0.0.1:${portBase}`,
      SLIPWAY_API_PORT: String(portBase + 1),
    });
    expect(settings).not.toHaveProperty('TEMPORAL_ADDRESS');
    expect(lines.filter((line) => / (mongodb|storage) +started at /.test(line))).toHaveLength(2);

    const before = await pids(stateDir);
    expect(await start()).toEqual(settings);
    expect(await pids(stateDir)).toEqual(before);
    expect(before).toMatchObject({ temporal: undefined, issuer: undefined });

    expect((await stopStack({ stateDir, report: silent })).sort()).toEqual(['mongodb', 'storage']);
    expect(await isPortFree(portBase + 5)).toBe(true);
    expect(await exists(join(stateDir, 'secret-key'))).toBe(true);
    await resetStack({ stateDir, report: silent });
    expect(await exists(stateDir)).toBe(false);
  });
});

test('the secret key is 32 bytes, its owner\u2019s alone, and stays', async () => {
  await withStack(async ({ stateDir, start }) => {
    const first = await start(['storage']);
    expect(Buffer.from(first.SLIPWAY_SECRET_KEY ?? '', 'base64')).toHaveLength(32);
    expect((await stat(join(stateDir, 'secret-key'))).mode & 0o777).toBe(0o600);
    await stopStack({ stateDir, report: silent });
    expect(await start(['storage'])).toEqual(first);
  });
});

test('a part that the user has elsewhere is left alone', async () => {
  await withStack(async ({ stateDir, portBase }) => {
    const own = { ...environment, MONGODB_URI: 'mongodb://db.example:27017' };
    const settings = await startStack({ stateDir, portBase, environment: own, only: LIGHT, report: silent });
    expect(settings).not.toHaveProperty('MONGODB_URI');
    expect(await pids(stateDir)).toMatchObject({ mongodb: undefined, storage: expect.any(Number) });
  });
});

test('a killed service comes back at the next start, the others stay', async () => {
  await withStack(async ({ stateDir, start }) => {
    await start();
    const { storage = 0, mongodb } = await pids(stateDir);
    process.kill(storage, 'SIGKILL');
    await until(async () => (await pids(stateDir)).storage === undefined);
    const { STORAGE_API_ENDPOINT } = await start();
    expect((await fetch(`${STORAGE_API_ENDPOINT}/storage/v1/b/slipway`)).status).toBe(200);
    expect((await pids(stateDir)).mongodb).toBe(mongodb);
  });
});

test('a stopped (frozen) service is replaced, as it does not answer', async () => {
  await withStack(async ({ stateDir, start }) => {
    await start(['storage']);
    const { storage = 0 } = await pids(stateDir);
    process.kill(storage, 'SIGSTOP');
    await start(['storage']);
    expect((await pids(stateDir)).storage).not.toBe(storage);
  });
});

test('a port in use ends the start with its number, and what was started is gone again', async () => {
  await withStack(async ({ stateDir, portBase, start }) => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(portBase + 5, '127.0.0.1', resolve));
    try {
      await expect(start()).rejects.toThrow(`port ${portBase + 5} of storage is in use by process ${process.pid}`);
      expect(Object.values(await pids(stateDir)).filter(Boolean)).toEqual([]);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
    await start();
  });
});

test('a full disk is one sentence', async () => {
  await withStack(async ({ stateDir, portBase, start }) => {
    await mkdir(join(stateDir, 'run'), { recursive: true });
    // Each write here meets a device that is always full.
    await symlink('/dev/full', join(stateDir, 'run', 'storage.json.new'));
    await expect(start(['storage'])).rejects.toThrow('the disk is full; free some space');
    await until(() => isPortFree(portBase + 5));
  });
});

test('two stacks run side by side and know nothing of each other', async () => {
  await withStack(async (one) => {
    await withStack(async (two) => {
      const [first, second] = await Promise.all([one.start(), two.start()]);
      expect(first.STORAGE_API_ENDPOINT).not.toBe(second.STORAGE_API_ENDPOINT);
      await fetch(`${first.STORAGE_API_ENDPOINT}/storage/v1/b?project=x`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'only-in-the-first' }),
      });
      expect((await fetch(`${second.STORAGE_API_ENDPOINT}/storage/v1/b/only-in-the-first`)).status).toBe(404);
      await stopStack({ stateDir: one.stateDir, report: silent });
      expect((await fetch(`${second.STORAGE_API_ENDPOINT}/storage/v1/b/slipway`)).status).toBe(200);
    });
  });
});

test('two starts of one stack at once make one of each service', async () => {
  await withStack(async ({ stateDir, start, lines }) => {
    const [first, second] = await Promise.all([start(), start()]);
    expect(second).toEqual(first);
    expect(lines).toContain('waiting for another start or stop of this stack');
    expect(lines.filter((line) => / storage +started /.test(line))).toHaveLength(1);
    expect(await pids(stateDir)).toMatchObject({ storage: expect.any(Number) });
  });
});

test('Temporal keeps histories and has the search attributes as declared, also after a restart', async () => {
  await withStack(async ({ stateDir, portBase, start }) => {
    for (let round = 0; round < 2; round += 1) {
      const { TEMPORAL_ADDRESS } = await start(['temporal']);
      expect(TEMPORAL_ADDRESS).toBe(`127.0.0.1:${choosePorts(portBase, declared).temporal}`);
      const connection = await Connection.connect({ address: TEMPORAL_ADDRESS });
      const { config } = await connection.workflowService.describeNamespace({ namespace: 'default' });
      expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(30 * 86_400);
      const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: 'default' });
      const names = [
        'ResourceKind',
        'ResourceId',
        'ModelName',
        'ModelVersion',
        'PipelineId',
        'Trigger',
        'ScheduleSettings',
        'SlipwayHealth',
      ];
      for (const name of names) {
        expect(customAttributes).toHaveProperty(name);
      }
      await connection.close();
      await stopStack({ stateDir, report: silent });
    }
  });
});

test('tokens outlive a restart of the issuer', async () => {
  await withStack(async ({ stateDir, start }) => {
    const jwks = async () => {
      const { OIDC_ISSUER } = await start(['issuer']);
      const keys = await (await fetch(`${OIDC_ISSUER}/jwks`)).text();
      await stopStack({ stateDir, report: silent });
      return keys;
    };
    expect(await jwks()).toBe(await jwks());
    expect((await stat(join(stateDir, 'issuer', 'signing-key.json'))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(stateDir, 'logs', 'issuer.log'), 'utf8')).not.toMatch(/"d":/);
  });
});

test('a stop leaves trainings running, and the next start finds them', async () => {
  await withStack(async ({ stateDir, start, lines }) => {
    const { DOCKER_HOST = '', SLIPWAY_TOOLCHAIN_IMAGE: image = '' } = await start(['engine']);
    const engine = createDockerEngine({ docker: connectDocker(DOCKER_HOST) });
    const launch = async (kind: string) => {
      const { handle } = await engine.create({
        ...{ name: `trial-${kind}`, image, command: ['sleep', '600'], env: {}, labels: { kind }, network: 'none' },
        limits: { cpus: 1, memoryBytes: 2 ** 26 },
      });
      await engine.start(handle);
      return handle;
    };
    const [training, replica] = [await launch('training'), await launch('deployment')];
    const before = await engine.state(training);
    await stopStack({ stateDir, report: (line) => void lines.push(line) });
    expect(lines.some((line) => line.includes('trainings that go on: 1'))).toBe(true);
    await start(['engine']);
    expect(await engine.state(training)).toEqual(before);
    expect((await engine.state(replica))?.phase).toBe('exited');
  });
});
