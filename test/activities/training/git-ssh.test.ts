import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resolveCommit } from '../../../activities/training/git.js';
import { makeRepository } from './repository.js';

const HOST_KEY = 'ssh-ed25519 AAAA';
const { PATH } = process.env;
let home: string;
let repository: string;
let head: string;

/** Replaces ssh: notes what it was given and what it sees, then runs the command here. */
const fakeSsh = (folder: string): string => `#!/bin/sh
env > ${folder}/environment
echo "$*" > ${folder}/arguments
: > ${folder}/files
while [ $# -gt 1 ]; do
  case "$1" in
    IdentityFile=/*) stat -c '%a' "\${1#IdentityFile=}" >> ${folder}/files; cat "\${1#IdentityFile=}" >> ${folder}/files; echo "\${1#IdentityFile=}" > ${folder}/key-path ;;
    UserKnownHostsFile=*) cat "\${1#UserKnownHostsFile=}" >> ${folder}/files ;;
  esac
  shift
done
exec sh -c "$1"
`;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'git-ssh-'));
  repository = join(home, 'repository');
  head = await makeRepository(repository);
  await mkdir(join(home, 'bin'));
  await writeFile(join(home, 'bin', 'ssh'), fakeSsh(home), { mode: 0o755 });
  Object.assign(process.env, {
    PATH: `${join(home, 'bin')}:${PATH}`,
    SSH_AUTH_SOCK: '/run/agent',
    SLIPWAY_SECRET_KEY: 'k',
  });
});
afterAll(async () => {
  process.env.PATH = PATH;
  delete process.env.SSH_AUTH_SOCK;
  delete process.env.SLIPWAY_SECRET_KEY;
  await rm(home, { recursive: true, force: true });
});

const noted = (name: string): Promise<string> => readFile(join(home, name), 'utf8');
const connect = (options: Partial<Parameters<typeof resolveCommit>[0]> = {}) =>
  resolveCommit({
    ...{ uri: `ssh://git@example.org${repository}`, hostKey: HOST_KEY, localRoots: [] },
    outbound: { networks: [], resolve: async () => ['8.8.8.8'] },
    ...options,
  });

test('the key lies in a file that only the worker can read, and is gone afterwards', async () => {
  expect(await connect({ key: 'PRIVATE' })).toBe(head);
  expect(await noted('files')).toBe(`600\nPRIVATE\n* ${HOST_KEY}\n`);
  expect(await noted('arguments')).toContain('StrictHostKeyChecking=yes');
  await expect(stat((await noted('key-path')).trim())).rejects.toThrow('ENOENT');
});

test('ssh uses no identity, no file and no variable of the worker', async () => {
  await connect();
  const given = await noted('arguments');
  expect(given).toMatch(/^-F \/dev\/null /);
  for (const option of ['IdentityFile=none', 'IdentitiesOnly=yes', 'IdentityAgent=none'])
    expect(given).toContain(option);
  const environment = await noted('environment');
  expect(environment).not.toMatch(/SSH_AUTH_SOCK|SLIPWAY_|MONGODB|NODE_|VITEST/);
  expect(environment).not.toContain(`HOME=${process.env.HOME}\n`);
});

test('without a host key the server is not used, unless the installation accepts it at first use', async () => {
  const message = expect.stringMatching(/names no host key/);
  await expect(connect({ hostKey: undefined })).rejects.toMatchObject({ code: 'run_failed', message });
  expect(await connect({ hostKey: undefined, sshFirstUse: true })).toBe(head);
  expect(await noted('arguments')).toContain('StrictHostKeyChecking=accept-new');
});

test('ssh goes to the address that was checked', async () => {
  await connect();
  expect(await noted('arguments')).toContain('HostName=8.8.8.8 -o HostKeyAlias=example.org');
  await rm(join(home, 'arguments'));
  for (const address of ['10.0.0.7', '127.0.0.1', '169.254.169.254']) {
    const outbound = { networks: [], resolve: async () => ['8.8.8.8', address] };
    const message = expect.stringContaining(`the git server may not be used: example.org resolves to ${address}`);
    await expect(connect({ outbound })).rejects.toMatchObject({ code: 'run_failed', message });
  }
  await expect(noted('arguments')).rejects.toThrow('ENOENT');
});
