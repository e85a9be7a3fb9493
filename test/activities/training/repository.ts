import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const IDENTITY = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'protocol.file.allow=always'];

export async function git(folder: string, ...args: string[]): Promise<string> {
  const { stdout } = await run('git', [...IDENTITY, ...args], { cwd: folder });
  return stdout.trim();
}

/** A repository with one commit on `main`. @returns its hash */
export async function makeRepository(folder: string, files: Record<string, string> = { 'a.txt': 'one' }) {
  await mkdir(folder, { recursive: true });
  await git(folder, 'init', '--quiet', '-b', 'main');
  return commitFiles(folder, files);
}

let template: Promise<string> | undefined;

/** Copies a repository with one commit, which is made once: most of the time of git is the start of its processes. */
export async function copyRepository(folder: string): Promise<string> {
  template ??= makeTemplate();
  await cp(await template, folder, { recursive: true });
  return (await readFile(join(folder, '.git', 'refs', 'heads', 'main'), 'utf8')).trim();
}

async function makeTemplate(): Promise<string> {
  // Stays for later runs; a process of the tests that is too late uses that of the first.
  const folder = join(import.meta.dirname, '..', '..', '..', '.slipway-test', 'repository');
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}-${process.pid}`;
  await makeRepository(unfinished);
  await rename(unfinished, folder).catch(() => rm(unfinished, { recursive: true }));
  return folder;
}

export async function commitFiles(folder: string, files: Record<string, string>): Promise<string> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  await git(folder, 'add', '.');
  await git(folder, 'commit', '--quiet', '-m', 'change');
  return git(folder, 'rev-parse', 'HEAD');
}

/** Repositories under `root` over HTTP, for whoever shows `token`; on a free port where none is given. */
export async function serveRepositories(root: string, token: string, at = 0) {
  const expected = `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/down/')) return void response.writeHead(503).end();
    if (request.headers.authorization !== expected)
      return void response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    answer(root, request, response);
  });
  await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}`, close: () => new Promise((resolve) => server.close(resolve)) };
}

/** `git http-backend` as CGI. */
function answer(root: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const backend = spawn('git', ['http-backend'], {
    env: {
      ...process.env,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname,
      QUERY_STRING: searchParams.toString(),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'],
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
      GIT_PROTOCOL: request.headers['git-protocol']?.toString(),
    },
  });
  request.pipe(backend.stdin);
  const parts: Buffer[] = [];
  backend.stdout.on('data', (part: Buffer) => parts.push(part));
  backend.stdout.on('end', () => {
    const all = Buffer.concat(parts);
    const end = all.indexOf('\r\n\r\n');
    const headers = all
      .subarray(0, end)
      .toString()
      .split('\r\n')
      .map((line) => line.split(': '));
    const status = headers.find(([name]) => name === 'Status')?.[1] ?? '200';
    response.writeHead(Number(status.slice(0, 3)), Object.fromEntries(headers.filter(([name]) => name !== 'Status')));
    response.end(all.subarray(end + 4));
  });
}
