import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { runFailed } from '../resources/reasons.js';
import { SlipwayError } from '../resources/errors.js';

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

/**
 * Fetches one commit into `folder`, without its history when the server allows that.
 * @returns the full commit hash
 * @throws run_failed, reason SourceCheckoutFailed; unavailable when the network may heal it
 */
export async function fetchRepository(source: GitSource): Promise<{ commit: string }> {
  const secrets = await mkdtemp(join(tmpdir(), 'slipway-git-'));
  try {
    const git = createGit(source, await gitEnvironment(source, secrets));
    await checkLocal(source);
    await git('init', '--quiet', '.');
    const target = await resolveReference(git, source);
    await fetchCommit(git, source.uri, target);
    await git('checkout', '--quiet', '--detach', target.commit ?? 'FETCH_HEAD');
    return { commit: await git('rev-parse', 'HEAD') };
  } finally {
    await rm(secrets, { recursive: true, force: true });
  }
}

interface Target {
  /** What to ask the server for. */
  refspec: string;
  commit?: string;
  /** A short hash is known to nobody but a full clone. */
  needsHistory?: boolean;
}

async function resolveReference(git: Git, { uri, reference }: GitSource): Promise<Target> {
  const refs = parseRefs(await git('ls-remote', uri));
  if (reference === undefined) return { refspec: 'HEAD', commit: refs.get('HEAD') };
  const branch = reference.replace(/^origin\//, '');
  for (const name of [reference, `refs/tags/${reference}`, `refs/heads/${branch}`]) {
    const commit = refs.get(`${name}^{}`) ?? refs.get(name);
    if (name.startsWith('refs/') && commit !== undefined) return { refspec: name, commit };
  }
  if (/^[0-9a-f]{40}$/.test(reference)) return { refspec: reference, commit: reference };
  if (/^[0-9a-f]{4,39}$/.test(reference)) return { refspec: reference, commit: reference, needsHistory: true };
  throw checkoutFailed(`the repository has no reference "${reference}"`);
}

function parseRefs(output: string): Map<string, string> {
  const rows = output.split('\n').map((line) => line.split('\t'));
  return new Map(rows.flatMap(([hash, name]) => (hash && name ? [[name, hash] as const] : [])));
}

async function fetchCommit(git: Git, uri: string, { refspec, needsHistory }: Target): Promise<void> {
  if (needsHistory !== true) {
    const shallow = await git('fetch', '--quiet', '--depth', '1', uri, refspec).then(
      () => true,
      () => false,
    );
    if (shallow) return;
  }
  // Some servers refuse a bare hash or a shallow fetch.
  await git('fetch', '--quiet', uri, '+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*');
}

async function checkLocal({ uri, localRoots }: GitSource): Promise<void> {
  if (!uri.startsWith('/')) return;
  const path = await realpath(uri).catch(() => undefined);
  if (path === undefined) throw checkoutFailed(`there is no repository at "${uri}"`);
  const roots = await Promise.all(localRoots.map((root) => realpath(root).catch(() => root)));
  const allowed = roots.some((root) => path === root || path.startsWith(`${root}/`));
  if (!allowed) throw checkoutFailed(`the local path "${uri}" is not under a folder of SLIPWAY_LOCAL_REPOSITORIES`);
}

async function gitEnvironment({ uri, key, hostKey }: GitSource, secrets: string): Promise<Record<string, string>> {
  const config: [string, string][] = [
    ['core.hooksPath', '/dev/null'],
    ['protocol.file.allow', uri.startsWith('/') ? 'always' : 'never'],
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
  const overHttp = /^https?:/.test(uri);
  if (key !== undefined && overHttp) {
    // By environment, because arguments are visible to every process of the machine.
    config.push([
      'http.extraHeader',
      `Authorization: Basic ${Buffer.from(`x-access-token:${key}`).toString('base64')}`,
    ]);
  } else if (key !== undefined) {
    await writeFile(join(secrets, 'key'), key.endsWith('\n') ? key : `${key}\n`, { mode: 0o600 });
  }
  if (!overHttp && !uri.startsWith('/')) {
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

function createGit({ folder, signal, key }: GitSource, env: Record<string, string>): Git {
  return async (...args) => {
    const done = await execa('git', args, {
      cwd: folder,
      env,
      cancelSignal: signal,
      timeout: 30 * 60_000,
      reject: false,
    });
    if (done.exitCode === 0) return done.stdout;
    const said = lastLine(done.stderr) ?? done.shortMessage ?? 'git failed';
    const message = key === undefined ? said : said.replaceAll(key, '*****');
    if (TRANSIENT.test(said)) throw new SlipwayError('unavailable', message);
    throw checkoutFailed(message);
  };
}

/** What git says when the network, not the request, is at fault. */
const TRANSIENT = /timed out|connection reset|connection refused|early EOF|temporary failure|returned error: 5\d\d/i;

function lastLine(text: string): string | undefined {
  return text
    .trim()
    .split('\n')
    .findLast((line) => line.trim() !== '' && !line.startsWith('hint:'))
    ?.trim();
}

function checkoutFailed(message: string): SlipwayError {
  return runFailed({ reason: 'SourceCheckoutFailed', message });
}
