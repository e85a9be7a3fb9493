import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { runFailed } from '../../platform/kinds/reasons.js';
import type { SlipwayError } from '../../platform/kinds/errors.js';
import { outsideFailed, transientFault } from '../../platform/kinds/outside-failure.js';
import { exposesSecret, parseGitUri } from '../../lifecycle/kinds/git-uri.js';
import { gitEnvironment } from './git-environment.js';
import { locateServer } from './git-server.js';
import type { GitSource, Located } from './git-source.js';

interface Git {
  (...args: string[]): Promise<string>;
}

/**
 * Fetches the files of one commit into `folder`: no history, and nothing of git's own, so that a commit always gives
 * the same files.
 * @returns the full commit hash
 * @throws run_failed, reason SourceCheckoutFailed; unavailable while the server fails for now
 */
export async function fetchRepository(source: GitSource): Promise<{ commit: string }> {
  return inRepository(await locate(source), async (git, located) => {
    const target = await resolveReference(git, located);
    await fetchCommit(git, located.uri, target);
    await git('checkout', '--quiet', '--force', '--detach', target.commit ?? 'FETCH_HEAD');
    const commit = await git('rev-parse', 'HEAD');
    await rm(join(located.folder, '.git'), { recursive: true });
    return { commit };
  });
}

/**
 * The commit that a reference means now; nothing is fetched.
 * @throws as `fetchRepository`
 */
export async function resolveCommit(source: Omit<GitSource, 'folder'>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-git-'));
  try {
    const { commit } = await inRepository(await locate({ ...source, folder }), resolveReference);
    if (commit !== undefined && FULL_HASH.test(commit)) return commit;
    throw checkoutFailed(`"${source.reference}" must be a branch, a tag or a full commit hash`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Makes an empty repository in the source's folder and runs `work` with git at hand; secrets live no longer. */
async function inRepository<T>(source: Located, work: (git: Git, source: Located) => Promise<T>): Promise<T> {
  const secrets = await mkdtemp(join(tmpdir(), 'slipway-git-'));
  try {
    const git = createGit(source, await gitEnvironment(source, secrets));
    await git('init', '--quiet', '.');
    return await work(git, source);
  } finally {
    await rm(secrets, { recursive: true, force: true });
  }
}

async function locate(source: GitSource): Promise<Located> {
  const parsed = parseGitUri(source.uri);
  if (parsed === undefined) throw checkoutFailed(`"${source.uri}" is no address of a git repository`);
  if (source.key !== undefined && exposesSecret(source.uri)) {
    throw checkoutFailed('a secret is not sent over http: change the uri of the connection to https://');
  }
  const { form, path } = parsed;
  if (form === 'local') return { ...source, form, uri: await allowedPath(path, source.localRoots) };
  const isSsh = form === 'ssh' || form === 'scp';
  if (isSsh && source.hostKey === undefined && source.sshFirstUse !== true) {
    throw checkoutFailed('the connection names no host key: set its publicKey to the line that ssh-keyscan prints');
  }
  return { ...source, form: isSsh ? 'ssh' : 'http', server: await locateServer(parsed, source.outbound) };
}

async function allowedPath(wanted: string, localRoots: readonly string[]): Promise<string> {
  const path = await realpath(wanted).catch(() => undefined);
  if (path === undefined) throw checkoutFailed(`there is no repository at "${wanted}"`);
  const roots = await Promise.all(localRoots.map((root) => realpath(root).catch(() => root)));
  if (roots.some((root) => path === root || path.startsWith(`${root}/`))) return path;
  throw checkoutFailed(`the local path "${wanted}" is not under a folder of SLIPWAY_LOCAL_REPOSITORIES`);
}

const FULL_HASH = /^[0-9a-f]{40}$/;

interface Target {
  /** The refs to ask the server for. */
  refspec: string;
  commit?: string;
  /** Servers do not resolve a short hash: only a full clone does. */
  needsHistory?: boolean;
}

async function resolveReference(git: Git, { uri, reference = 'HEAD' }: Located): Promise<Target> {
  const refs = parseRefs(await git('ls-remote', '--', uri));
  if (reference === 'HEAD') return { refspec: 'HEAD', commit: refs.get('HEAD') };
  const branch = reference.replace(/^origin\//, '');
  for (const name of [reference, `refs/tags/${reference}`, `refs/heads/${branch}`]) {
    const commit = refs.get(`${name}^{}`) ?? refs.get(name);
    if (name.startsWith('refs/') && commit !== undefined) return { refspec: name, commit };
  }
  if (FULL_HASH.test(reference)) return { refspec: reference, commit: reference };
  if (/^[0-9a-f]{4,39}$/.test(reference)) return { refspec: reference, commit: reference, needsHistory: true };
  throw checkoutFailed(`the repository has no reference "${reference}"`);
}

function parseRefs(output: string): Map<string, string> {
  const rows = output.split('\n').map((line) => line.split('\t'));
  return new Map(rows.flatMap(([hash, name]) => (hash && name ? [[name, hash] as const] : [])));
}

async function fetchCommit(git: Git, uri: string, { refspec, needsHistory }: Target): Promise<void> {
  if (needsHistory !== true) {
    const shallow = await git('fetch', '--quiet', '--depth', '1', '--', uri, refspec).then(
      () => true,
      () => false,
    );
    if (shallow) return;
  }
  // Some servers refuse a bare hash or a shallow fetch.
  await git('fetch', '--quiet', '--', uri, '+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*');
}

function createGit({ folder, signal, key }: Located, env: Record<string, string>): Git {
  return async (...args) => {
    const done = await execa('git', args, {
      cwd: folder,
      env,
      // Nothing of the worker's own: its settings hold secrets, its agent and its files hold identities.
      extendEnv: false,
      cancelSignal: signal,
      timeout: 30 * 60_000,
      reject: false,
    });
    if (done.exitCode === 0) return done.stdout;
    const said = reasonIn(done.stderr) ?? done.shortMessage ?? 'git failed';
    const message = key === undefined ? said : said.replaceAll(key.trim(), '*****');
    const fault = done.timedOut ? 'it does not answer in time' : transientFault(done.stderr);
    if (fault === undefined) throw checkoutFailed(REDIRECT.test(message) ? REDIRECTED : message);
    throw outsideFailed({ party: 'the git server', said: message, fault, reason: 'SourceCheckoutFailed' });
  };
}

/** git names only the status when it follows no redirect. */
const REDIRECT = /returned error: 30\d/;
const REDIRECTED = 'the git server redirects to another address: change the uri of the connection to that address';

/** The text that git adds to every failure of ssh. */
const ADVICE = /^(hint:|fatal: Could not read from remote|Please make sure you have|and the repository exists)/;

function reasonIn(stderr: string): string | undefined {
  const lines = stderr.split('\n').map((line) => line.trim());
  return lines.findLast((line) => line !== '' && !ADVICE.test(line));
}

function checkoutFailed(message: string): SlipwayError {
  return runFailed({ reason: 'SourceCheckoutFailed', message });
}
