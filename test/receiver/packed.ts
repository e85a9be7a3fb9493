import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { Webhook } from 'standardwebhooks';
import { Agent, request } from 'undici';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** The packages that the examples of the guide need. */
const INSTALLED = ['@electric-sql/pglite', 'express', 'koa', 'mongodb'];

/** A project that installed the package as it is published. */
export async function createProject() {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-packed-'));
  const options = { cwd: join(ROOT, 'receiver'), preferLocal: true };
  const { stdout } = await execa('npm', ['pack', '--silent', '--pack-destination', folder], options);
  const archive = join(folder, stdout.trim().split('\n').at(-1) ?? '');
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  await execa('npm', ['install', '--silent', '--offline', '--omit=optional', archive], { cwd: folder });
  const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')) as { packages: object };
  const packages = Object.keys(lock.packages).filter((path) => path !== '');
  for (const name of INSTALLED) {
    const link = join(folder, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(ROOT, 'node_modules', name), link);
  }
  return { folder, packages, remove: () => rm(folder, { recursive: true }) };
}

/** The blocks of the guide that have a file name. */
export async function readExamples(): Promise<Record<string, string>> {
  const guide = await readFile(join(ROOT, 'docs', 'receiver.md'), 'utf8');
  const blocks = [...guide.matchAll(/```js\n\/\/ (\S+\.mjs)\n([\s\S]*?)```/g)];
  return Object.fromEntries(blocks.map(([, name = '', code = '']) => [name, code]));
}

/** Runs a program of the project, which listens at the socket that it finds in PORT. */
export async function startProgram(folder: string, name: string, code: string, environment: Record<string, string>) {
  const secret = `whsec_${Buffer.from(randomUUID()).toString('base64')}`;
  const socket = join(folder, `${randomUUID().slice(0, 8)}.sock`);
  await writeFile(join(folder, name), code);
  const env = { ...environment, SLIPWAY_HOOK_SECRET: secret, PORT: socket, NODE_OPTIONS: '' };
  const program = execa('node', [name], { cwd: folder, env, reject: false, all: true });
  const dispatcher = new Agent({ connect: { socketPath: socket } });
  const ask = async (path: string, body?: string, id = 'msg_1') => {
    const at = new Date();
    const headers = {
      ...{ 'content-type': 'application/cloudevents+json', 'webhook-id': id },
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign(id, at, body ?? ''),
    };
    const method = body === undefined ? 'GET' : 'POST';
    const reply = await request(`http://receiver${path}`, { method, body: body ?? null, headers, dispatcher });
    return { status: reply.statusCode, receipt: reply.headers['webhook-receipt'], text: await reply.body.text() };
  };
  const deadline = Date.now() + 120_000;
  while ((await ask('/').catch(() => undefined)) === undefined) {
    if (program.exitCode !== null || Date.now() > deadline)
      throw new Error(`${name} does not listen: ${(await program).all}`);
    await sleep(50);
  }
  return {
    ask,
    stop: async (): Promise<string> => {
      program.kill('SIGKILL');
      await dispatcher.close();
      return (await program).all ?? '';
    },
  };
}
