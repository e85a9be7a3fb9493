import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fetchRepository, resolveCommit } from '../../../activities/training/git.js';
import { type Network, parseNetwork } from '../../../platform/kinds/network-addresses.js';
import { packFolder } from '../../../activities/shared/archive.js';
import { withScratchFolder } from '../../../activities/training/workspace.js';
import { commitFiles, git, makeRepository, serveRepositories } from './repository.js';

const LOOPBACK = { networks: [parseNetwork('127.0.0.0/8') as Network] };
/** No test of ssh leaves this machine: its program is replaced. */
const PUBLIC = { networks: [], resolve: async () => ['8.8.8.8'] };
const PATH = process.env.PATH ?? '';
let home: string;
let repository: string;
let first: string;
let second: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'git-test-'));
  repository = join(home, 'roots', 'repository');
  first = await makeRepository(repository);
  await git(repository, 'tag', 'light');
  await git(repository, 'tag', '-a', 'annotated', '-m', 'first');
  second = await commitFiles(repository, { 'a.txt': 'two', 'deep/b.txt': 'b' });
  await git(repository, 'branch', 'feature/x', first);
});
afterAll(async () => {
  process.env.PATH = PATH;
  await rm(home, { recursive: true, force: true });
});

/** Fetches into a new folder. @returns commit and files */
async function fetchInto(options: Partial<Parameters<typeof fetchRepository>[0]> = {}) {
  const folder = await mkdtemp(join(home, 'clone-'));
  const source = { uri: repository, folder, localRoots: [join(home, 'roots')], outbound: LOOPBACK, ...options };
  const { commit } = await fetchRepository(source);
  return { commit, folder, files: (await readdir(folder, { recursive: true })).sort() };
}

const messageOf = (err: unknown) => (err as Error).message;
const refused = (pattern: RegExp) => ({
  code: 'run_failed',
  retryable: false,
  detail: expect.objectContaining({ reason: 'SourceCheckoutFailed' }),
  message: expect.stringMatching(pattern),
});

test.each([
  ['the default branch', () => undefined, () => second],
  ['HEAD', () => 'HEAD', () => second],
  ['a branch', () => 'main', () => second],
  ['a branch of origin', () => 'origin/main', () => second],
  ['a branch with a slash', () => 'feature/x', () => first],
  ['a full reference', () => 'refs/heads/feature/x', () => first],
  ['a tag', () => 'light', () => first],
  ['an annotated tag', () => 'annotated', () => first],
  ['a full hash', () => first, () => first],
  ['a short hash', () => first.slice(0, 7), () => first],
])('%s is resolved to its commit', async (_what, reference, commit) => {
  const fetched = await fetchInto({ reference: reference() });
  expect(fetched.commit).toBe(commit());
  expect(await readFile(join(fetched.folder, 'a.txt'), 'utf8')).toBe(commit() === first ? 'one' : 'two');
});

test('only the files of the commit arrive, so the same commit gives the same workspace', async () => {
  const [one, two] = [await fetchInto(), await fetchInto()];
  expect(one.files).toEqual(['a.txt', 'deep', 'deep/b.txt']);
  const pack = (folder: string) => packFolder(folder, `${folder}.tgz`);
  expect(await pack(one.folder)).toEqual(await pack(two.folder));
});

test.each(['nothing-like-it', 'deadbeef', 'f'.repeat(40), '--upload-pack=true', 'a b'])(
  'the unknown reference "%s" fails for good',
  async (reference) => {
    await expect(fetchInto({ reference })).rejects.toMatchObject(refused(/./));
  },
);

test('a local path outside of the allowed folders is refused, also by a link or a climb', async () => {
  const outside = join(home, 'outside');
  await makeRepository(outside);
  await symlink(outside, join(home, 'roots', 'link'));
  const uris = [outside, join(home, 'roots', 'link'), join(home, 'roots', '..', 'outside'), `file://${outside}`];
  for (const uri of uris) await expect(fetchInto({ uri })).rejects.toMatchObject(refused(/not under a folder/));
  await mkdir(join(home, 'roots-2'));
  await expect(fetchInto({ uri: join(home, 'roots-2') })).rejects.toMatchObject(refused(/not under a folder/));
  await expect(fetchInto({ uri: join(home, 'roots', 'none') })).rejects.toMatchObject(refused(/no repository/));
  expect((await fetchInto({ uri: `file://${repository}` })).commit).toBe(second);
});

test.each(['ext::sh -c "touch x"', '--upload-pack=touch x', 'git://host/x', ''])('"%s" is no address', async (uri) => {
  await expect(fetchInto({ uri })).rejects.toMatchObject(refused(/no address/));
});

test('submodules are not fetched and hooks do not run', async () => {
  const parent = join(home, 'roots', 'parent');
  await makeRepository(parent);
  await git(parent, 'submodule', '--quiet', 'add', repository, 'inner');
  await git(parent, 'commit', '--quiet', '-m', 'submodule');
  // A user's template would put hooks into every new repository.
  const template = join(home, 'template', 'hooks');
  await mkdir(template, { recursive: true });
  const hook = join(template, 'post-checkout');
  await writeFile(hook, `#!/bin/sh\ntouch ${join(home, 'hook-ran')}\n`);
  await chmod(hook, 0o755);
  process.env.GIT_TEMPLATE_DIR = join(home, 'template');
  try {
    const { files } = await fetchInto({ uri: parent });
    expect(files).toEqual(['.gitmodules', 'a.txt', 'inner']);
  } finally {
    delete process.env.GIT_TEMPLATE_DIR;
  }
  await expect(stat(join(home, 'hook-ran'))).rejects.toThrow('ENOENT');
});

test('over http the token opens the repository, and no message shows it', async () => {
  const key = 'token-of-ada';
  const server = await serveRepositories(join(home, 'roots'), key);
  try {
    const uri = `${server.url}/repository/.git`;
    expect((await fetchInto({ uri, key, reference: first })).commit).toBe(first);
    const wrong = await fetchInto({ uri, key: 'wrong-token' }).catch((err: Error) => err);
    expect(wrong).toMatchObject(refused(/./));
    expect(messageOf(wrong)).not.toContain('wrong-token');
    const missing = await fetchInto({ uri: `${server.url}/${key}/none`, key }).catch((err: Error) => err);
    expect(missing).toMatchObject(refused(/not found/));
    expect(messageOf(missing)).not.toContain(key);
  } finally {
    await server.close();
  }
});

const outside = (fault: string) => ({
  code: 'unavailable',
  detail: { reason: 'SourceCheckoutFailed' },
  publicMessage: `the git server cannot be used for now: ${fault}`,
});

test('a server that is away may be asked again', async () => {
  const server = await serveRepositories(join(home, 'roots'), 'token');
  const down = fetchInto({ uri: `${server.url}/down/x`, key: 'token' });
  await expect(down).rejects.toMatchObject(outside('it reports a failure of its own'));
  await server.close();
  const uri = `${server.url}/repository/.git`;
  await expect(fetchInto({ uri })).rejects.toMatchObject(outside('it cannot be reached'));
  await expect(resolveCommit({ uri, localRoots: [], outbound: LOOPBACK })).rejects.toMatchObject(
    outside('it cannot be reached'),
  );
  const nowhere = fetchInto({ uri: 'https://git.invalid/a.git' });
  await expect(nowhere).rejects.toMatchObject(outside('its name cannot be resolved'));
});

test('a server that accepts and never answers holds no step', async () => {
  const server = createServer(() => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const hanging = fetchInto({ uri: `http://127.0.0.1:${port}/a.git`, silenceSeconds: 1 });
    await expect(hanging).rejects.toMatchObject(outside('it does not answer in time'));
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('the message of ssh is reported, not the advice that git adds', async () => {
  const bin = join(home, 'failing-bin');
  await mkdir(bin);
  const says = 'echo "git@example.org: Permission denied (publickey)." >&2; exit 255';
  await writeFile(join(bin, 'ssh'), `#!/bin/sh\n${says}\n`, { mode: 0o755 });
  process.env.PATH = `${bin}:${PATH}`;
  await expect(
    fetchInto({ uri: 'git@example.org:x.git', hostKey: 'ssh-ed25519 AAAA', outbound: PUBLIC }),
  ).rejects.toMatchObject(refused(/^git@.*Permission denied/));
});

test('an aborted fetch ends at once', () =>
  withScratchFolder(async (folder) => {
    const signal = AbortSignal.abort(new Error('enough'));
    const source = { uri: repository, folder, localRoots: [home], signal };
    await expect(fetchRepository(source)).rejects.toThrow();
    expect(await readdir(folder)).not.toContain('a.txt');
  }));
