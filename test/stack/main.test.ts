import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { execa } from 'execa';
import { exists } from '../../stack/cache.js';
import { bundleProgram } from '../../workers/compose/program.js';
import { inScratchFolder } from './scratch.js';

const MAIN = await bundleProgram(new URL('../../stack/main.ts', import.meta.url));
const ROOT = join(import.meta.dirname, '..', '..');

function stack(environment: Record<string, string>, ...args: string[]) {
  const env = { PATH: process.env.PATH ?? '', ...environment };
  return execa(process.execPath, [MAIN, ...args], {
    cwd: ROOT,
    env,
    extendEnv: false,
    reject: false,
  });
}

test('help tells the commands and which port is where', async () => {
  const { stdout, exitCode } = await stack({}, '--help');
  expect(exitCode).toBe(0);
  for (const word of ['start', 'status', 'stop', 'reset', 'SLIPWAY_PORT_BASE', 'issuer +7'])
    expect(stdout).toContain(word);
});

test('status and stop of nothing say so and make nothing', async () => {
  await inScratchFolder(async (scratch) => {
    const SLIPWAY_STATE_DIR = join(scratch, 'state');
    const status = await stack({ SLIPWAY_STATE_DIR }, 'status');
    expect(status.exitCode).toBe(3);
    expect(status.stdout).toMatch(/^temporal +does not run/);
    const stop = await stack({ SLIPWAY_STATE_DIR }, 'stop');
    expect(stop.stdout).toBe('nothing ran');
    expect(await exists(SLIPWAY_STATE_DIR)).toBe(false);
  });
});

test('an unknown part is refused with the known ones', async () => {
  const { stderr, exitCode } = await stack({}, 'start', '--only', 'kafka');
  expect(exitCode).toBe(1);
  expect(stderr).toContain('"kafka" is none of temporal, mongodb');
});

test('the issuer does not start in production', async () => {
  await inScratchFolder(async (scratch) => {
    const environment = { SLIPWAY_STATE_DIR: scratch, NODE_ENV: 'production' };
    const { stderr, exitCode } = await stack(environment, 'start', '--only', 'issuer');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('the embedded issuer never runs in production; set OIDC_ISSUER to your own');
  });
});

test('the folder of an installation is open to its user only', async () => {
  await inScratchFolder(async (scratch) => {
    const SLIPWAY_STATE_DIR = join(scratch, 'state');
    await mkdir(SLIPWAY_STATE_DIR, { mode: 0o755 });
    await stack({ SLIPWAY_STATE_DIR, NODE_ENV: 'production' }, 'start', '--only', 'issuer');
    expect((await stat(SLIPWAY_STATE_DIR)).mode & 0o777).toBe(0o700);
    expect((await stat(join(SLIPWAY_STATE_DIR, 'logs'))).mode & 0o777).toBe(0o700);
  });
});
