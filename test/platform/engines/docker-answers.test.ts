import Docker from 'dockerode';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { limitCalls } from '../../../platform/engines/docker/call-limits.js';
import { connectDocker } from '../../../platform/engines/docker/connect.js';
import { bridgeName } from '../../../platform/engines/docker/bridge-names.js';
import { createDockerEngine } from '../../../platform/engines/docker/engine.js';
import type { ContainerSpec } from '../../../platform/engines/driver.js';
import { reasonOf } from '../../../platform/engines/refusal.js';
import { specDigest } from '../../../platform/engines/spec-digest.js';
import { PATIENT } from '../../patient-server.js';

// Answers of Docker itself, where they differ from podman's: the contract suite sees one of the two on a machine.
const INFO = { NCPU: 4, MemTotal: 8e9, MemoryLimit: true, CpuCfsQuota: true, PidsLimit: true, CgroupVersion: '2' };
const SPEC: ContainerSpec = {
  name: 'iris',
  image: 'slipway.local/python:3.11',
  command: ['true'],
  env: {},
  labels: {},
  network: 'internet',
  limits: { cpus: 1, memoryBytes: 64e6 },
};
type Answer = [status: number, body?: object];
let server: Server | undefined;
afterEach(async () => {
  server?.closeAllConnections();
  await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
  server = undefined;
});

/** An engine that gives these answers per `METHOD path`, one after the other and then the last one again. */
async function engineThatSays(script: Record<string, Answer[]>, options: { pollMs?: number; goneMs?: number } = {}) {
  const asked: { call: string; body: unknown }[] = [];
  const answers: Record<string, Answer[]> = {
    'GET /info': [[200, INFO]],
    'GET /version': [[200, { Version: '27.0', Components: [{ Name: 'Engine' }] }]],
    ...script,
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const call = `${request.method} ${request.url?.split('?')[0]}`;
    const body = (await request.toArray()).join('');
    asked.push({ call, body: body === '' ? undefined : JSON.parse(body) });
    const list = answers[call] ?? [];
    const [status, said] = (list.length > 1 ? list.shift() : list[0]) ?? [404, { message: 'no such container' }];
    response.writeHead(status, { 'content-type': 'application/json' }).end(said && JSON.stringify(said));
  };
  server = createServer(PATIENT, (request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { engine: createDockerEngine({ docker: connectDocker(`tcp://127.0.0.1:${port}`), ...options }), asked };
}

test('a name that another worker took between our look and our call is attached to', async () => {
  const theirs = { Config: { Labels: { 'slipway.spec': specDigest(SPEC) } }, State: { Running: true } };
  const { engine } = await engineThatSays({
    'GET /containers/iris/json': [
      [404, { message: 'none' }],
      [200, theirs],
    ],
    'POST /networks/create': [[409, { message: 'network with name slipway-internet already exists' }]],
    'POST /containers/create': [[409, { message: 'Conflict. The container name "/iris" is already in use' }]],
  });
  expect(await engine.create(SPEC)).toEqual({ handle: { name: 'iris' }, existed: true });
});

test('a process that ends while podman reads it is read again, and a fault that stays is reported', async () => {
  const race: Answer = [500, { message: 'read /proc/9995/cgroup: no such process' }];
  const ended: Answer = [200, { Id: 'c', State: { Status: 'exited', ExitCode: 3 }, HostConfig: {} }];
  const { engine } = await engineThatSays({
    'GET /containers/iris/json': [race, race, ended],
    'GET /containers/lost/json': [race],
  });
  expect(await engine.state({ name: 'iris' })).toMatchObject({ phase: 'exited', exitCode: 3 });
  await expect(engine.state({ name: 'lost' })).rejects.toMatchObject({ code: 'run_failed' });
});

test('a container that goes while podman reads of it is gone', async () => {
  const going: Answer = [500, { message: 'container 1cc77e does not exist in database: no such container' }];
  const { engine } = await engineThatSays({ 'GET /containers/iris/json': [going, [404, { message: 'none' }]] });
  expect(await engine.state({ name: 'iris' })).toBeUndefined();
});

test('a process that ends while podman kills it is removed all the same', async () => {
  const race: Answer = [500, { message: 'sending SIGKILL to container c: container state improper: stopped' }];
  const { engine, asked } = await engineThatSays({
    'GET /containers/iris/json': [
      [200, { Id: 'c', State: { Status: 'running' } }],
      [404, { message: 'none' }],
    ],
    'DELETE /containers/iris': [race, [204, {}]],
  });
  await engine.remove({ name: 'iris' });
  expect(asked.filter(({ call }) => call === 'DELETE /containers/iris')).toHaveLength(2);
});

test('a container whose network went with the removal of an earlier one has it again', async () => {
  const theirs = { Config: { Labels: { 'slipway.spec': specDigest(SPEC) } }, State: { Running: false } };
  const { engine, asked } = await engineThatSays({
    'GET /containers/iris/json': [
      [404, { message: 'none' }],
      [200, theirs],
    ],
    'POST /networks/create': [[200, {}]],
    'POST /containers/create': [[201, { Id: 'c' }]],
  });
  const networks = () => asked.filter(({ call }) => call === 'POST /networks/create').length;
  await engine.create(SPEC);
  expect(networks()).toBe(2);
  expect(await engine.create(SPEC)).toMatchObject({ existed: true });
  expect(networks()).toBe(3);
});

test('a container that another call makes again during its removal keeps its network', async () => {
  const { engine, asked } = await engineThatSays({
    'GET /version': [[200, { Version: '4.3.1', Components: [{ Name: 'Podman Engine' }] }]],
    'GET /containers/iris/json': [
      [200, { Id: 'first', State: { Status: 'running' } }],
      [200, { Id: 'second', State: { Status: 'running' } }],
    ],
    'DELETE /containers/iris': [[204]],
    'DELETE /networks/iris': [[500, { message: '"iris" has associated containers with it: network is being used' }]],
  });
  await engine.remove({ name: 'iris' });
  expect(asked.map(({ call }) => call)).toContain('DELETE /networks/iris');
});

test('containers of one profile share one network in which Docker keeps them apart', async () => {
  const { engine, asked } = await engineThatSays({
    'POST /networks/create': [[201, { Id: 'n' }]],
    'POST /containers/create': [[201, { Id: 'c' }]],
  });
  await engine.create(SPEC);
  const network = asked.find(({ call }) => call === 'POST /networks/create')?.body;
  expect(network).toMatchObject({
    Name: 'slipway-internet',
    Options: {
      'com.docker.network.bridge.enable_icc': 'false',
      'com.docker.network.bridge.name': expect.stringMatching(/^slipwayw[0-9a-f]{7}$/),
    },
  });
  const container = asked.find(({ call }) => call === 'POST /containers/create')?.body;
  expect(container).toMatchObject({
    HostConfig: { NetworkMode: 'slipway-internet', MemorySwap: 64e6, CapDrop: ['ALL'] },
  });
});

test('the networks of Docker are listed in one order; of podman, those of one container are left out while they are as made', async () => {
  const networks = [{ Name: 'b' }, { Name: 'a' }];
  const docker = await engineThatSays({ 'GET /networks': [[200, networks]] });
  expect(await docker.engine.networks()).toEqual(['{"Name":"a"}', '{"Name":"b"}']);
  await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));

  const made = { name: 'iris', network_interface: bridgeName('internet', 'iris'), options: { isolate: 'true' } };
  const changed = [{ ...made, options: {} }, { ...made, network_interface: 'slipwayw0' }, { name: 'podman' }];
  const podman = await engineThatSays({
    'GET /version': [[200, { Version: '4.3.1', Components: [{ Name: 'Podman Engine' }] }]],
    'GET /v4.0.0/libpod/networks/json': [[200, [made, ...changed]]],
  });
  expect(await podman.engine.networks()).toEqual(changed.map((network) => JSON.stringify(network)).toSorted());
});

test('a start that Docker refuses for its command is the fault of the program', async () => {
  const message = 'failed to create task: exec: "nosuch": executable file not found in $PATH';
  const { engine } = await engineThatSays({ 'POST /containers/iris/start': [[400, { message }]] });
  const refusal = await engine.start({ name: 'iris' }).catch((err: unknown) => err);
  expect(refusal).toMatchObject({ code: 'run_failed', message: `engine could not start container "iris": ${message}` });
  expect(reasonOf(refusal)).toBe('ToolchainFailed');
});

test('a removal that another call has begun is waited for', async () => {
  const { engine, asked } = await engineThatSays({
    'GET /containers/iris/json': [
      [200, { Id: 'c', State: {} }],
      [200, { Id: 'c', State: {} }],
      [404, { message: 'gone' }],
    ],
    'DELETE /containers/iris': [[409, { message: 'removal of container iris is already in progress' }]],
  });
  await engine.remove({ name: 'iris' });
  expect(asked.filter(({ call }) => call === 'GET /containers/iris/json').length).toBeGreaterThanOrEqual(3);
});

test('an engine that cannot hold anyone to a limit is not used', async () => {
  const { engine } = await engineThatSays({ 'GET /info': [[200, { ...INFO, MemoryLimit: false }]] });
  await expect(engine.create(SPEC)).rejects.toThrow('container engine enforces no limits of memory, cpu or processes');
});

test('stats of Docker for a stopped container are zeros, which is none', async () => {
  const { engine } = await engineThatSays({
    'GET /containers/iris/stats': [[200, { id: 'c', cpu_stats: { cpu_usage: { total_usage: 0 } }, memory_stats: {} }]],
  });
  expect(await engine.stats({ name: 'iris' })).toBeUndefined();
});

test.each(['unix:///nowhere/engine.sock', 'tcp://127.0.0.1:1'])(
  'an engine that does not answer is unavailable: %s',
  async (host) => {
    const engine = createDockerEngine({ docker: connectDocker(host) });
    const calls = [
      () => engine.info(),
      () => engine.create(SPEC),
      () => engine.start(SPEC),
      () => engine.state(SPEC),
      () => engine.stop(SPEC, 0),
      () => engine.remove(SPEC),
      () => engine.find({}),
      () => engine.stats(SPEC),
      () => engine.wait(SPEC, AbortSignal.timeout(60_000)),
      () => engine.exec(SPEC, ['true'], { timeoutMs: 60_000 }),
      () => engine.putArchive(SPEC, '/workspace', Buffer.alloc(0)),
      () => engine.getArchive(SPEC, '/workspace'),
      () => engine.logs(SPEC, { follow: true })[Symbol.asyncIterator]().next(),
      () => engine.ensureImage('iris'),
      () => engine.push('iris', undefined, () => undefined),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'unavailable', retryable: true });
  },
);

test.each(['ftp://engine', 'engine', ''])('"%s" is no address of an engine', (host) => {
  expect(() => connectDocker(host)).toThrow('is not the address of a container engine');
});

test('a container that the engine does not get away is reported, and waited for no longer', async () => {
  const { engine } = await engineThatSays(
    { 'GET /containers/iris/json': [[200, { Id: 'c', State: {} }]], 'DELETE /containers/iris': [[409, {}]] },
    { pollMs: 1, goneMs: 5 },
  );
  await expect(engine.remove({ name: 'iris' })).rejects.toMatchObject({
    code: 'unavailable',
    publicMessage: 'the container engine does not remove container "iris"',
  });
});

test.each([
  ['nothing', () => undefined],
  ['a part of its answer', (response: ServerResponse) => void response.writeHead(200).write('{')],
])('an engine that hangs after %s is unavailable', async (_, say) => {
  server = createServer(PATIENT, (_request, response) => say(response));
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const docker = limitCalls(new Docker({ protocol: 'http', host: '127.0.0.1', port }), { usualMs: 20, longMs: 20 });
  const engine = createDockerEngine({ docker });
  const handle = { name: 'iris' };
  const calls = [
    () => engine.info(),
    () => engine.create(SPEC),
    () => engine.state(handle),
    () => engine.stop(handle, 1_000),
    () => engine.remove(handle),
    () => engine.stats(handle),
    () => engine.diskBytes(handle),
    () => engine.find({}),
    () => engine.putArchive(handle, '/workspace', Buffer.from('tar')),
  ];
  for (const call of calls) {
    await expect(call()).rejects.toMatchObject({
      ...{ code: 'unavailable', publicMessage: 'the container engine does not answer' },
    });
  }
});

test('an engine that hangs in the middle of an archive is unavailable', async () => {
  server = createServer(PATIENT, (_request, response) => void response.writeHead(200).write('half'));
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const docker = new Docker({ protocol: 'http', host: '127.0.0.1', port });
  const archive = await createDockerEngine({ docker, idleMs: 50 }).getArchive({ name: 'iris' }, '/workspace');
  await expect(archive.toArray()).rejects.toMatchObject({
    ...{ code: 'unavailable', publicMessage: 'the container engine does not answer' },
  });
});

test('a call that its caller can abort, and an answer that is a stream, may take longer than the limit', async () => {
  const responses: ServerResponse[] = [];
  server = createServer(PATIENT, (_request, response) => {
    response.flushHeaders();
    responses.push(response);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const docker = connectDocker(`tcp://127.0.0.1:${port}`);
  const archive = await createDockerEngine({ docker }).getArchive({ name: 'iris' }, '/workspace');
  const waited = docker.getContainer('iris').wait({ abortSignal: new AbortController().signal });
  await vi.waitUntil(() => responses.length === 2, { timeout: 60_000 });
  vi.advanceTimersByTime(24 * 3_600_000);
  responses[0]?.end('whole');
  responses[1]?.end('{"StatusCode":0}');
  expect(Buffer.concat(await archive.toArray()).toString()).toBe('whole');
  expect(await waited).toEqual({ StatusCode: 0 });
});
