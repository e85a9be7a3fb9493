import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { awaitReplicas } from '../../../activities/deployment/readiness.js';
import { isReady, readInfo } from '../../../activities/deployment/replica.js';
import { end, print } from '../shared/memory-engine.js';
import { startModel, startScene } from './replicas-scene.js';

const waitFor = (scene: Awaited<ReturnType<typeof startScene>>, readySeconds = 60) =>
  awaitReplicas(scene.engine, scene.revision, { readySeconds, signal: scene.stopping.signal, beat: () => {} });

test('replicas are waited for until each of them is ready', async () => {
  const scene = await startScene({ replicas: 2 });
  scene.model.status = 503;
  const waiting = waitFor(scene);
  await sleep(50);
  scene.model.status = 200;
  expect((await waiting).map(({ url }) => url)).toEqual([`http://${scene.address}`, `http://${scene.address}`]);
});

test('a replica that ends before it is ready is reported with its exit code and last line', async () => {
  const scene = await startScene();
  print(scene.replica(), 'Traceback', 'ImportError: numpy', '');
  end(scene.replica(), 3);
  await expect(waitFor(scene)).rejects.toMatchObject({
    detail: expect.objectContaining({ reason: 'CrashLoop', exitCode: 3 }),
    message: expect.stringMatching(/exit code 3 .*ImportError: numpy$/),
  });
});

test('a replica that ends also ends the wait for the others', async () => {
  const scene = await startScene({ replicas: 2 });
  scene.model.status = 503;
  end(scene.replica(1), 3);
  let looks = 0;
  const beat = (): void => void (looks += 1);
  const waiting = awaitReplicas(scene.engine, scene.revision, {
    readySeconds: 60,
    signal: scene.stopping.signal,
    beat,
  });
  await expect(waiting).rejects.toThrow('replica r1 ended');
  const atTheEnd = looks;
  await sleep(300);
  expect(looks).toBe(atTheEnd);
});

test('a replica that is not ready in time is reported with its last line', async () => {
  const scene = await startScene();
  scene.model.status = 503;
  print(scene.replica(), 'loading');
  await expect(waitFor(scene, 0.01)).rejects.toMatchObject({
    detail: expect.objectContaining({ reason: 'ProbeFailed', logTail: 'loading' }),
  });
});

test('a replica has longer on a busy machine, for as long as it is busy', async () => {
  const scene = await startScene();
  scene.model.status = 503;
  let slowdown = 1_000;
  const wait = { readySeconds: 0.01, signal: scene.stopping.signal, beat: () => {} };
  const waiting = awaitReplicas(scene.engine, scene.revision, { ...wait, limitOf: (seconds) => seconds * slowdown });
  await expect.poll(() => scene.model.probes).toBeGreaterThan(2);
  slowdown = 1;
  await expect(waiting).rejects.toMatchObject({ message: expect.stringContaining('not ready within 0.01 s') });
});

test('a wait that is aborted ends', async () => {
  const scene = await startScene();
  scene.model.status = 503;
  const waiting = waitFor(scene);
  scene.stopping.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow();
});

const MODEL = { modelName: 'wine', modelVersion: '3' };

test('a tensor server is asked by its own protocol, and described by its labels', async () => {
  const asked: string[] = [];
  const server = createServer(({ url = '' }, reply) => {
    asked.push(url);
    reply.end(url === '/v2' ? '{"name": "server"}' : '');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const replica = { name: 'r0', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  const { signal } = new AbortController();
  const revision = { ...MODEL, predictor: 'tensor-server' as const };
  expect(await isReady(revision, replica, signal)).toBe(true);
  expect(await readInfo(revision, replica, signal)).toMatchObject({ info: { title: 'wine', version: '3' }, paths: {} });
  expect(asked).toEqual(['/v2/health/ready', '/v2']);
});

test.each([
  [200, 'hello'],
  [200, '"text"'],
  [404, '{}'],
])('an image that answers %s with %s does not describe its model', async (status, body) => {
  const { model, address } = await startModel();
  Object.assign(model, { status, body });
  const replica = { name: 'r0', url: `http://${address}` };
  await expect(readInfo(MODEL, replica, new AbortController().signal)).rejects.toMatchObject({
    retryable: false,
    detail: expect.objectContaining({ reason: 'ProbeFailed' }),
  });
});

test('a model server that redirects leads the worker nowhere', async () => {
  const { model, address } = await startModel();
  const inner = await startModel();
  Object.assign(model, { status: 302, location: `http://${inner.address}/healthz/ready` });
  const replica = { name: 'r0', url: `http://${address}` };
  const { signal } = new AbortController();
  expect(await isReady({}, replica, signal)).toBe(false);
  await expect(readInfo(MODEL, replica, signal)).rejects.toMatchObject({
    message: 'r0 does not describe its model (status 302)',
  });
  expect(inner.model.probes).toBe(0);
});

test.each([
  ['is deeper than a database takes', `{"info":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ['has a name that no database takes', '{"info":{"a\\u0000b":1}}'],
])('a description that %s fails for good', async (_, body) => {
  const { model, address } = await startModel();
  model.body = body;
  await expect(
    readInfo(MODEL, { name: 'r0', url: `http://${address}` }, new AbortController().signal),
  ).rejects.toMatchObject({
    detail: expect.objectContaining({ reason: 'ProbeFailed' }),
    message: 'r0 does not describe its model (its /api/model/info is no JSON object of at most 60 levels)',
  });
});

test('a description of more than 1 MiB is not read on', async () => {
  const { model, address } = await startModel();
  model.body = JSON.stringify({ info: { title: 'a'.repeat(2 ** 20) } });
  await expect(
    readInfo(MODEL, { name: 'r0', url: `http://${address}` }, new AbortController().signal),
  ).rejects.toMatchObject({
    detail: expect.objectContaining({ reason: 'ProbeFailed' }),
    message: 'r0 does not describe its model (its /api/model/info is longer than 1048576 bytes)',
  });
});
