import { afterAll, beforeAll, expect, test } from 'vitest';
import { gzipSync } from 'node:zlib';
import { tarOf } from '../activities/shared/archives.js';
import { PYTHON } from '../activities/shared/environment-scene.js';
import { hostileBase, openHostService } from '../activities/shared/hostile-base.js';
import { contextOf } from '../platform/engines/contract-images.js';
import { startTestPlatform, type TestPlatform } from './platform.js';
import { createProject, trainingSpec } from './projects.js';
import { untilState } from './run-state.js';

// The way on which a data scientist once became the whole platform: an image and packages of their own, which ran as root
// on the network of the host.
let platform: TestPlatform;
let service: Awaited<ReturnType<typeof openHostService>>;
let base: string;
/** The id of a training whose program fills the disk; it is ended beside the other tests. */
let filling: string;
const images: string[] = [];
beforeAll(async () => {
  const settings = { SLIPWAY_MAX_JOB_DISK_GIB: '0.2' };
  [platform, service] = await Promise.all([startTestPlatform(settings), openHostService()]);
  filling = platform.newId('takeover');
  const spec = trainingSpec(await createProject(platform, FILLING), { name: filling });
  await platform.admin.create('/model/training', filling, spec);
  const { dockerfile, files } = hostileBase(PYTHON, service.port);
  base = await publish('hostile-base', dockerfile, files);
}, 600_000);
afterAll(async () => {
  for (const image of images) await platform.engine.removeImage(image).catch(() => undefined);
  await Promise.all([platform.stop(), service.close()]);
});

const FILLING = `
import time
with open("filling", "wb") as file:
    for _ in range(100):
        file.write(bytes(4_000_000))
time.sleep(600)
`;

/** Builds an image as a user does, and pushes it where the platform finds it. */
async function publish(word: string, dockerfile: string, files: Record<string, string>): Promise<string> {
  const tag = `${process.env.SLIPWAY_REGISTRY}/${platform.newId(word)}:1`;
  images.push(tag);
  await platform.engine.build(contextOf(dockerfile, files), { tag, network: 'none' }, () => undefined);
  await platform.engine.push(tag, undefined, () => undefined);
  return tag;
}

const PROJECT = 'model: {name: wine, version: "1", workDir: model}\n';
const INICONFIG = 'iniconfig==2.0.0 --hash=sha256:b6a85871a79d2e3b22d2d1b94ac2824226a63c6b741c88f7ae975f18b6778374\n';
/** It has no wheel: its installation would run its setup.py. */
const SOURCE_PACKAGE = 'docopt==0.6.2 --hash=sha256:49b3a825280bd66b3aa83585ef59c4a8c82f2c8a522dbe754a8bc8d08c85c491\n';

/** Packages an artifact with this lock. @returns the end of the packaging and its log */
async function pack(lock: string, args: object) {
  const id = platform.newId('takeover');
  const files = { 'platform.model.yaml': PROJECT, 'model/entrypoint.py': '', 'lock.txt': lock };
  const entries = Object.entries(files).map(([name, content]) => ({ name, content }));
  await platform.objects.put(`${id}.zip`, gzipSync(await tarOf(entries)));
  const targets = [{ name: 'container-push', connectionName: 'docker-ci' }];
  const spec = { artifactName: `${id}.zip`, integrationName: 'container-rest', targets, arguments: args };
  await platform.admin.create('/model/packaging', id, spec);
  const { status } = await untilState(platform, '/model/packaging', id, ['failed', 'succeeded']);
  return { id, status, log: await platform.admin.text(`/api/v1/model/packaging/${id}/log`) };
}

test('a hostile base image gets no rights in a packaging and reaches nothing', async () => {
  const { id, log } = await pack(INICONFIG, { dockerfileBaseImage: base });
  expect(log).toMatch(/identity 10001 0 1/);
  expect(log).toMatch(/refused connect 127\.0\.0\.1 /);
  expect(log).not.toContain('EVIL');
  expect(service.visits()).toBe(0);
  expect(await platform.engine.find({ kind: 'packaging', id })).toEqual([]);
}, 600_000);

test('a package that would run code to be installed fails the packaging', async () => {
  const { status } = await pack(SOURCE_PACKAGE, {});
  expect(status).toMatchObject({ state: 'failed', reason: 'PackagerFailed' });
  expect(status.message).toMatch(/docopt.*SLIPWAY_ALLOW_SOURCE_PACKAGES/);
}, 600_000);

test('a hostile image of a training gets no rights and reaches nothing', async () => {
  const connection = await createProject(platform, 'print("trained")');
  const id = platform.newId('takeover');
  await platform.admin.create('/model/training', id, { ...trainingSpec(connection, { name: id }), image: base });
  const { status } = await untilState(platform, '/model/training', id, ['failed', 'succeeded']);
  expect(status.state).toBe('failed'); // the image has no program that trains
  const log = await platform.admin.text(`/api/v1/model/training/${id}/log`);
  expect(log).toMatch(/refused connect 127\.0\.0\.1 /);
  expect(log).not.toContain('EVIL');
  expect(service.visits()).toBe(0);
}, 600_000);

test('a program that fills the disk is ended, and its files are gone', async () => {
  const { status } = await untilState(platform, '/model/training', filling, ['failed', 'succeeded']);
  expect(status).toMatchObject({ state: 'failed', reason: 'OutOfStorage' });
  expect(status.message).toMatch(/have 0\.\d+ GiB, and may have 0\.2 GiB/);
  expect(await platform.engine.find({ kind: 'training', id: filling })).toEqual([]);
}, 600_000);

/** Says that it is ready, and sends whoever asks for its description to a service of the host. */
const server = (port: number): string => `
from http.server import BaseHTTPRequestHandler, HTTPServer
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/healthz/ready" else 302)
        self.send_header("location", "http://127.0.0.1:${port}/")
        self.send_header("content-length", "0")
        self.end_headers()
HTTPServer(("0.0.0.0", 5000), Handler).serve_forever()
`;

test('a model server that redirects the worker to a service of the host fails its deployment', async () => {
  const dockerfile = `FROM ${PYTHON}\nCOPY server.py /server.py\nCMD ["python3", "/server.py"]\n`;
  const image = await publish('hostile-model', dockerfile, { 'server.py': server(service.port) });
  const id = platform.newId('takeover');
  await platform.admin.create('/model/deployment', id, { image, predictor: 'platform-ml-server' });
  const { status } = await untilState(platform, '/model/deployment', id, ['Failed', 'Ready']);
  expect(status).toMatchObject({ state: 'Failed', reason: 'ProbeFailed' });
  expect(status.message).toContain('does not describe its model (status 302)');
  expect(service.visits()).toBe(0);
}, 600_000);
