import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleProgram } from '../../workers/compose/program.js';
import { findTestPortBase } from '../stack/port-base.js';

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'slipway-programs-'))));
afterAll(() => rm(folder, { recursive: true }));

/** Runs an entry point to its end. */
async function run(name: string, environment: Record<string, string>) {
  const program = await bundleProgram(new URL(`../../workers/${name}.ts`, import.meta.url));
  const env = { PATH: process.env.PATH ?? '', SLIPWAY_STATE_DIR: join(folder, name), ...environment };
  return execa(process.execPath, [program], { env, extendEnv: false, reject: false, timeout: 60_000 });
}

test('the platform ends with 1 and names the port that is taken, and starts nothing', async () => {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const environment = { SLIPWAY_PORT_BASE: String(await findTestPortBase()), SLIPWAY_API_PORT: String(port) };
  const { exitCode, stdout, stderr } = await run('start', environment);
  server.close();
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr).toContain(String(port));
  expect(stderr).not.toMatch(/\n {4}at /);
  await expect(readdir(join(folder, 'start'))).rejects.toThrow('ENOENT');
});
