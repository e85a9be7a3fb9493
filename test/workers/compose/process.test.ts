import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { beforeAll, expect, test } from 'vitest';
import { bundleProgram } from '../../../workers/compose/program.js';

let program: string;
beforeAll(async () => void (program = await bundleProgram(new URL('./process-child.ts', import.meta.url))));

/** Starts the child and acts on it once it is ready. @returns how it ended and what it wrote */
async function run(args: string[], env: Record<string, string>, act: (child: ReturnType<typeof fork>) => void) {
  const child = fork(program, args, { env: { PATH: process.env.PATH, ...env }, silent: true });
  const texts = { out: '', err: '' };
  child.stdout?.on('data', (chunk: Buffer) => (texts.out += String(chunk)));
  child.stderr?.on('data', (chunk: Buffer) => (texts.err += String(chunk)));
  let isReady = false;
  child.once('message', (message) => {
    isReady = message === 'ready';
    act(child);
  });
  const written = Promise.all([child.stdout, child.stderr].flatMap((stream) => (stream ? [finished(stream)] : [])));
  const [exitCode] = (await once(child, 'exit')) as [number | null];
  await written;
  const said = texts.out.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
  return { exitCode, isReady, said, ...texts };
}

test.concurrent.each<[string, (child: ReturnType<typeof fork>) => void]>([
  ['SIGTERM', (child) => child.kill('SIGTERM')],
  ['SIGINT', (child) => child.kill('SIGINT')],
  ['SIGHUP', (child) => child.kill('SIGHUP')],
  ['the end of its parent', (child) => child.disconnect()],
])('%s closes the process and ends it with 0', async (_name, end) => {
  const ended = await run(['ready'], { SLIPWAY_API_PORT: '9123' }, end);
  expect(ended).toMatchObject({ exitCode: 0, isReady: true, said: ['port 9123', 'closing', 'closed'], err: '' });
});

test.concurrent('a second signal does not close it twice, and waits for the first', async () => {
  const ended = await run(['ready', 'slow'], {}, (child) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGTERM'] as const) child.kill(signal);
  });
  expect(ended).toMatchObject({ exitCode: 0, said: ['port 8081', 'closing', 'closed'] });
});

test.concurrent('an end that is not clean is logged, and ends with 1', async () => {
  const ended = await run(['ready', 'fails'], {}, (child) => child.kill('SIGTERM'));
  expect(ended).toMatchObject({ exitCode: 1, said: ['port 8081', 'closing'] });
  expect(ended.out).toContain('a connection hangs');
});

test.concurrent('a start that fails is logged, and ends with 1 without being ready', async () => {
  const ended = await run(['fails'], {}, () => undefined);
  expect(ended).toMatchObject({ exitCode: 1, isReady: false });
  expect(ended.out).toContain('the database is away');
});

test.concurrent('a process whose parent ends during its start ends at once', async () => {
  const child = fork(program, ['hangs'], { env: { PATH: process.env.PATH }, silent: true });
  child.stdout?.once('data', () => child.disconnect());
  const [exitCode] = (await once(child, 'exit')) as [number | null];
  expect(exitCode).toBe(1);
});

test.concurrent.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '%s ends a start that waits, at once',
  async (signal) => {
    const child = fork(program, ['waits'], { env: { PATH: process.env.PATH }, silent: true });
    let out = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      out += String(chunk);
      if (out.includes('the start waits for the database')) child.kill(signal);
    });
    // The last lines may arrive after the exit.
    const [exitCode] = (await once(child, 'close')) as [number | null];
    expect([exitCode, out.includes(`ending before the start is finished: ${signal}`)]).toEqual([0, true]);
  },
);

test.concurrent('settings that are not valid end with 2 before the start, and each is named', async () => {
  const ended = await run(['ready'], { SLIPWAY_API_PORT: 'many', SLIPWAY_APY_PORT: '1' }, () => undefined);
  expect(ended).toMatchObject({ exitCode: 2, isReady: false, out: '' });
  for (const name of ['SLIPWAY_API_PORT', 'SLIPWAY_APY_PORT']) expect(ended.err).toContain(name);
  expect(ended.err).not.toMatch(/\n {4}at /);
});

test.concurrent('unsafe settings in production end with 2 before the start, a sentence for each', async () => {
  const ended = await run(['ready'], { NODE_ENV: 'production', SLIPWAY_WEBHOOK_PRIVATE: 'true' }, () => undefined);
  expect(ended).toMatchObject({ exitCode: 2, isReady: false, out: '' });
  for (const name of ['OIDC_ISSUER', 'MONGODB_URI', 'SLIPWAY_WEBHOOK_PRIVATE'])
    expect(ended.err).toContain(`\n${name} `);
});

test.concurrent('files that a process makes are readable by its user only', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-process-'));
  const file = join(folder, 'made');
  await run(['writes', file], {}, (child) => child.kill('SIGTERM'));
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await rm(folder, { recursive: true });
});

test.concurrent('the log level holds for the process', async () => {
  const ended = await run(['ready'], { SLIPWAY_LOG_LEVEL: 'silent' }, (child) => child.kill('SIGTERM'));
  expect(ended.out).toBe('port 8081\nclosing\nclosed\n');
});
