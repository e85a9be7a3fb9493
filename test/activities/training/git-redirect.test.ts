import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Network, parseNetwork } from '../../../platform/kinds/network-addresses.js';
import { fetchRepository, resolveCommit } from '../../../activities/training/git.js';

const LOOPBACK = { networks: [parseNetwork('127.0.0.0/8') as Network] };
let folder: string;
const servers: Server[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'git-redirect-'));
});
afterAll(async () => {
  for (const server of servers) server.close();
  await rm(folder, { recursive: true, force: true });
});

async function startServer(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each([301, 302, 307, 308])('a redirect (%i) of a git server is not followed: nothing leaves', async (status) => {
  const reached: unknown[] = [];
  const other = await startServer(({ method, url, headers }, response) => {
    reached.push([method, url, headers.authorization]);
    response.writeHead(404).end();
  });
  const first = await startServer(({ url }, response) =>
    response.writeHead(status, { location: `${other}${url}` }).end(),
  );
  const source = { uri: `${first}/team/repo.git`, key: 'token-of-ada', localRoots: [], outbound: LOOPBACK };
  const failed = { code: 'run_failed', message: expect.stringMatching(/redirects to another address/) };
  await expect(fetchRepository({ ...source, folder })).rejects.toMatchObject(failed);
  await expect(resolveCommit(source)).rejects.toMatchObject(failed);
  expect(reached).toEqual([]);
});

test.each(['http://git.invalid/a.git', 'http://127.0.0.1.git.invalid/a.git'])(
  'a secret is not sent to %s',
  async (uri) => {
    const message = 'a secret is not sent over http: change the uri of the connection to https://';
    await expect(resolveCommit({ uri, key: 'token', localRoots: [] })).rejects.toMatchObject({
      code: 'run_failed',
      message,
    });
  },
);
