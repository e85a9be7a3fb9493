import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, expect, test } from 'vitest';
import { pack } from 'tar-stream';
import { connectDocker } from '../../platform/engines/docker/connect.js';
import { createDockerEngine } from '../../platform/engines/docker/engine.js';
import { until } from './scratch.js';

const docker = connectDocker(process.env.DOCKER_HOST ?? '');
const TOOLCHAIN = process.env.SLIPWAY_TOOLCHAIN_IMAGE ?? '';
const [, BASE = ''] = (process.env.SLIPWAY_IMAGE_MIRRORS ?? '').split(',')[0]?.split('=') ?? [];
const label = `dev.slipway.trial=${randomUUID()}`;
const [labelName = '', labelValue = ''] = label.split('=');

afterAll(async () => {
  const left = await docker.listContainers({ all: true, filters: { label: [label] } });
  await Promise.all(left.map(({ Id }) => docker.getContainer(Id).remove({ force: true, v: true })));
});

async function run(image: string, command: string[], limits: { Memory?: number; NanoCpus?: number } = {}) {
  const container = await docker.createContainer({
    Image: image,
    Cmd: command,
    Labels: { [labelName]: labelValue },
    Tty: true, // one plain stream
    HostConfig: { ...limits, MemorySwap: limits.Memory },
  });
  await container.start();
  const { StatusCode: exitCode }: { StatusCode: number } = await container.wait();
  const output = (await container.logs({ stdout: true, stderr: true })).toString().trim();
  return { exitCode, output };
}

test('a memory limit kills what goes beyond it, and nothing less', async () => {
  const take = (mebibytes: number) => ['python3', '-c', `x = bytearray(${mebibytes} * 2**20); print('fits')`];
  const limits = { Memory: 96 * 2 ** 20 };
  expect(await run(TOOLCHAIN, take(200), limits)).toMatchObject({ exitCode: 137 });
  expect(await run(TOOLCHAIN, take(20), limits)).toMatchObject({ exitCode: 0 });
});

test('a limit of a fifth of a processor gives about that much of one', async () => {
  const burn =
    "import time; begin = time.time()\nwhile time.time() - begin < 4: pass\nprint('used', time.process_time())";
  const { output } = await run(TOOLCHAIN, ['python3', '-c', burn], { NanoCpus: 200_000_000 });
  const used = Number(/used ([\d.]+)/.exec(output)?.[1]);
  expect(used).toBeGreaterThan(0.1);
  expect(used).toBeLessThan(1.4); // of 4 s; 0.8 when exact
});

test('the toolchain image has what trains and what installs', async () => {
  const script = 'import mlflow, sklearn, pandas, numpy, skops; print(mlflow.__version__.split(".")[0])';
  expect(await run(TOOLCHAIN, ['python3', '-c', script])).toMatchObject({ exitCode: 0, output: '3' });
  expect(await run(TOOLCHAIN, ['/usr/local/bin/uv', '--version'])).toMatchObject({ exitCode: 0 });
});

test('an image built on the shared base is pushed to the registry and pulled again', async () => {
  const engine = createDockerEngine({ docker });
  const tag = `${process.env.SLIPWAY_REGISTRY}/trial:${randomUUID()}`;
  const context = pack();
  context.entry({ name: 'Dockerfile' }, `FROM ${BASE || TOOLCHAIN}\nRUN echo made > /made\nCMD ["cat", "/made"]\n`);
  context.finalize();
  await engine.build(Readable.from(context), { tag, network: 'none' }, () => undefined);
  const { digest } = await engine.push(tag, undefined, () => undefined);
  expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  await engine.removeImage(tag);
  await engine.ensureImage(tag);
  expect(await run(tag, ['cat', '/made'])).toMatchObject({ exitCode: 0, output: 'made' });
  await docker.getImage(tag).remove({ force: true });
});

test('a published port answers on the loopback', async () => {
  const container = await docker.createContainer({
    Image: TOOLCHAIN,
    Cmd: ['python3', '-m', 'http.server', '5000', '--directory', '/etc/ssl'],
    Labels: { [labelName]: labelValue },
    ExposedPorts: { '5000/tcp': {} },
    HostConfig: { PortBindings: { '5000/tcp': [{ HostIp: '127.0.0.1', HostPort: '' }] } },
  });
  await container.start();
  const { NetworkSettings } = await container.inspect();
  const port = NetworkSettings.Ports['5000/tcp']?.[0]?.HostPort;
  const answers = async () => (await fetch(`http://127.0.0.1:${port}/`)).status === 200;
  await until(() => answers().catch(() => false));
});
