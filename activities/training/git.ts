import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { runFailed } from '../../platform/kinds/reasons.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { parseGitUri } from '../../lifecycle/kinds/git-uri.js';

export interface GitSource {
  uri: string;
  /** Branch, tag, `origin/branch`, full ref or commit hash; the default branch when absent. */
  reference?: string;
  /** Private key for ssh, token for https. */
  key?: string;
  /** Known host line (`type base64`), pinned for ssh. */
  hostKey?: string;
  folder: string;
  /** Folders under which a local path may lie. */
  localRoots: readonly string[];
  signal?: AbortSignal;
}

interface Git {
  (...args: string[]): Promise<string>;
}

/** Between the attempts while the network does not answer: a wrong address must not wait for hours. */
const PAUSES_MS = [1_000, 5_000, 15_000];

/**
 * Fetches the files of one commit into `folder`: no history, and nothing of git's own, so that a commit always gives
 * the same files.
 * @returns the full commit hash
 * @throws run_failed, reason SourceCheckoutFailed
 */
export async function fetchRepository(source: GitSource, pausesMs = PAUSES_MS): Promise<{ commit: string }> {
  const location = await locate(source);
  return patiently(location, pausesMs, () => fetchOnce(location));
}

/**
 * The commit that a reference means now; nothing is fetched.
 * @throws run_failed, reason SourceCheckoutFailed
 */
export async function resolveCommit(source: Omit<GitSource, 'folder'>, pausesMs = PAUSES_MS): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-git-'));
  try {
    const location = await locate({ ...source, folder });
    const { commit } = await patiently(location, pausesMs, () => inRepository(location, resolveReference));
    if (commit !== undefined && FULL_HASH.test(commit)) return commit;
    throw checkoutFailed(`"${source.reference}" must be a branch, a tag or a full commit hash`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function patiently<T>({ signal }: Located, pausesMs: readonly number[], work: () => Promise<T>): Promise<T> {
  for (const pauseMs of [...pausesMs, undefined]) {
    try {
      return await work();
    } catch (err) {
      if (!(err instanceof SlipwayError) || err.code !== 'unavailable') throw err;
      if (pauseMs === undefined) throw checkoutFailed(err.message);
      await sleep(pauseMs, undefined, { signal });
    }
  }
  throw checkoutFailed('the repository does not answer');
}

async function fetchOnce(source: Located): Promise<{ commit: string }> {
  return inRepository(source, async (git) => {
    const target = await resolveReference(git, source);
    await fetchCommit(git, source.uri, target);
    await git('checkout', '--quiet', '--force', '--detach', target.commit ?? 'FETCH_HEAD');
    const commit = await git('rev-parse', 'HEAD');
    await rm(join(source.folder, '.git'), { recursive: true });
    return { commit };
  });
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

/** A source whose address was judged: `local` is a real path under an allowed folder. */
interface Located extends GitSource {
  form: 'http' | 'ssh' | 'local';
}

async function locate(source: GitSource): Promise<Located> {
  const parsed = parseGitUri(source.uri);
  if (parsed === undefined) throw checkoutFailed(`"${source.uri}" is no address of a git repository`);
  const { form, path } = parsed;
  if (form === 'local') return { ...source, form, uri: await allowedPath(path, source.localRoots) };
  return { ...source, form: form === 'http' || form === 'https' ? 'http' : 'ssh' };
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

async function gitEnvironment({ uri, form, key, hostKey }: Located, secrets: string): Promise<Record<string, string>> {
  const config: [string, string][] = [
    ['core.hooksPath', '/dev/null'],
    ['protocol.file.allow', form === 'local' ? 'always' : 'never'],
    ['protocol.ext.allow', 'never'],
    ['submodule.recurse', 'false'],
    ['safe.directory', '*'],
  ];
  const environment: Record<string, string> = {
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_NOSYSTEM: '1',
    LC_ALL: 'C',
    HOME: secrets,
  };
  if (key !== undefined && form === 'http') {
    // By environment, because arguments are visible to every process of the machine; for this server only, because it
    // may send us on to another.
    config.push([
      `http.${new URL('/', uri).href}.extraHeader`,
      `Authorization: Basic ${Buffer.from(`x-access-token:${key}`).toString('base64')}`,
    ]);
  }
  if (form === 'ssh') {
    if (key !== undefined)
      await writeFile(join(secrets, 'key'), key.endsWith('\n') ? key : `${key}\n`, { mode: 0o600 });
    const known = join(secrets, 'known_hosts');
    await writeFile(known, hostKey === undefined ? '' : `* ${hostKey}\n`, { mode: 0o600 });
    const identity = key === undefined ? '' : `-i ${join(secrets, 'key')} -o IdentitiesOnly=yes`;
    const strict = hostKey === undefined ? 'accept-new' : 'yes';
    environment.GIT_SSH_COMMAND = `ssh ${identity} -o BatchMode=yes -o ConnectTimeout=15 -o UserKnownHostsFile=${known} -o StrictHostKeyChecking=${strict}`;
  }
  config.forEach(([name, value], index) => {
    environment[`GIT_CONFIG_KEY_${index}`] = name;
    environment[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  return { ...environment, GIT_CONFIG_COUNT: String(config.length) };
}

function createGit({ folder, signal, key }: Located, env: Record<string, string>): Git {
  return async (...args) => {
    const done = await execa('git', args, {
      cwd: folder,
      env,
      cancelSignal: signal,
      timeout: 30 * 60_000,
      reject: false,
    });
    if (done.exitCode === 0) return done.stdout;
    const said = reasonIn(done.stderr) ?? done.shortMessage ?? 'git failed';
    const message = key === undefined ? said : said.replaceAll(key.trim(), '*****');
    if (done.timedOut || TRANSIENT.test(done.stderr))
      throw new SlipwayError('unavailable', message, { publicMessage: 'the git server does not answer' });
    throw checkoutFailed(message);
  };
}

/** Messages of git when the network, not the request, is at fault. */
const TRANSIENT = /timed out|connection reset|connection refused|early EOF|temporary failure|returned error: 5\d\d/i;
/** The text that git adds to every failure of ssh. */
const ADVICE = /^(hint:|fatal: Could not read from remote|Please make sure you have|and the repository exists)/;

function reasonIn(stderr: string): string | undefined {
  const lines = stderr.split('\n').map((line) => line.trim());
  return lines.findLast((line) => line !== '' && !ADVICE.test(line));
}

function checkoutFailed(message: string): SlipwayError {
  return runFailed({ reason: 'SourceCheckoutFailed', message });
}
