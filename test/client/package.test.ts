import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { execa } from 'execa';
import { sendJson, startReplyServer, type ReplyServer } from './reply-server.js';

/** A project that has the package as `npm install` would leave it; what it depends on is that of this repository. */
let project: string;
let server: ReplyServer;
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'slipway-package-'));
  const { stdout } = await execa('npm', ['pack', '--silent', '--pack-destination', project]);
  const installed = join(project, 'node_modules', 'slipway');
  await mkdir(installed, { recursive: true });
  const tarball = join(project, stdout.trim().split('\n').at(-1) ?? '');
  await execa('tar', ['--extract', '--gzip', '--strip-components=1', '--file', tarball, '--directory', installed]);
  await symlink(join(process.cwd(), 'node_modules'), join(installed, 'node_modules'));
  await writeFile(join(project, 'package.json'), '{"type": "module"}');
  server = await startReplyServer((_request, response) =>
    sendJson(response, 200, { username: 'Ada', email: '', sub: 'me', roles: ['admin'] }),
  );
});
afterAll(async () => {
  await server.stop();
  await rm(project, { recursive: true, force: true });
});
const plain = { env: { NODE_OPTIONS: '' } };

test('a program without TypeScript uses the client', async () => {
  const program = `
import { createSlipway } from 'slipway/client';
const slipway = createSlipway({ server: process.argv[2], credentials: { token: 't' } });
const { data } = await slipway.http.GET('/api/v1/user/info');
console.log(data.username, Object.keys(slipway.runs).includes('start'));
`;
  await writeFile(join(project, 'program.js'), program);
  const { stdout } = await execa(process.execPath, ['program.js', server.url], { cwd: project, ...plain });
  expect(stdout).toBe('Ada true');
});

test('a program in TypeScript is held to the types of the OpenAPI document', async () => {
  const page = await readFile('docs/client.md', 'utf8');
  const [, example = ''] = /```ts\n(.*?)```/s.exec(page) ?? [];
  const more = `
export const words: [string, string, unknown] = [status.state, requestId, body];
export const late: Error = new SlipwayApiError('timeout', 'never');
// @ts-expect-error: no such operation
await slipway.http.GET('/api/v1/nothing');
`;
  await writeFile(join(project, 'typed.ts'), example + more);
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--lib', 'es2023,dom'];
  const tsc = join(process.cwd(), 'node_modules', 'typescript', 'bin', 'tsc');
  const { stdout, exitCode } = await execa(process.execPath, [tsc, ...options, 'typed.ts'], {
    ...{ cwd: project, reject: false, ...plain },
  });
  expect([exitCode, stdout]).toEqual([0, '']);
});

test('the package brings the command', async () => {
  const bin = join(project, 'node_modules', 'slipway', 'cli', 'bin', 'slipway.mjs');
  const { stdout } = await execa(process.execPath, [bin, '--version'], { cwd: project, ...plain });
  expect(stdout).toMatch(/^\d+\.\d+\.\d+$/);
});
