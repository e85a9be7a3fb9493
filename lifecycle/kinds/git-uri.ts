import { posix } from 'node:path';
import { isLoopbackHost } from '../../platform/kinds/network-addresses.js';

/** `scp` is the short form of SSH, `user@host:path`. A `local` uri has no host. */
export interface GitUri {
  form: 'https' | 'http' | 'ssh' | 'scp' | 'local';
  host: string;
  path: string;
}

// A host never starts with a dash: git would take it for an option.
const WITH_SCHEME = /^(https?|ssh):\/\/(?:[^@/\s]*@)?([A-Za-z0-9[][^/@\s]*)(\/\S*)$/;
// Nor does a path start with a colon: `word::rest` makes git run the program git-remote-word.
const SCP = /^(?:[A-Za-z0-9_][^@/:\s]*@)?([A-Za-z0-9][A-Za-z0-9.-]*):(?!\/\/)([^\s:-]\S*)$/;
const LOCAL = /^(?:file:\/\/)?(\/\S*)$/;

/** Reads the forms of git addresses that we fetch from; undefined for any other, such as `ext::` and `git://`. */
export function parseGitUri(uri: string): GitUri | undefined {
  const [, scheme, host, path] = WITH_SCHEME.exec(uri) ?? [];
  if (host !== undefined && path !== undefined) {
    return { form: scheme === 'https' ? 'https' : scheme === 'http' ? 'http' : 'ssh', host, path };
  }
  const [, local] = LOCAL.exec(uri) ?? [];
  if (local !== undefined) return { form: 'local', host: '', path: posix.normalize(local) };
  const [, scpHost, scpPath] = SCP.exec(uri) ?? [];
  if (scpHost !== undefined && scpPath !== undefined) return { form: 'scp', host: scpHost, path: scpPath };
  return undefined;
}

/** Why a repository cannot be fetched from an address. @param localFolders folders under which a local path is allowed */
export function gitUriProblem(uri: string, localFolders: readonly string[]): string | undefined {
  const parsed = parseGitUri(uri);
  if (parsed === undefined) return 'uri of git type must be https://host/path, ssh://host/path or user@host:path';
  if (parsed.form !== 'local' || localFolders.some((folder) => liesUnder(parsed.path, folder))) return undefined;
  return 'uri of git type must not be a local path';
}

const LONGEST_REFERENCE = 1_024;

/** Why a text names no commit, branch or tag; one that the repository lacks is found by the run. */
export function referenceProblem(reference: string): string | undefined {
  if (reference.length <= LONGEST_REFERENCE && !/\p{Cc}/u.test(reference)) return undefined;
  const rule = `it has at most ${LONGEST_REFERENCE} characters, and no control characters`;
  return `${JSON.stringify(reference.slice(0, 100))} is no git reference: ${rule}`;
}

/** Whether a secret would pass a network in plain text: over http, anywhere but on this machine. */
export function exposesSecret(uri: string): boolean {
  const { form, host = '' } = parseGitUri(uri) ?? {};
  return form === 'http' && !isLoopbackHost(host);
}

function liesUnder(path: string, folder: string): boolean {
  const root = posix.normalize(folder).replace(/\/+$/, '');
  return path === root || path.startsWith(`${root}/`);
}

/** Whether a uri, with or without scheme, has a password before its host. */
export function hasPassword(uri: string): boolean {
  const [, scheme, rest = ''] = /^([A-Za-z][A-Za-z0-9+.-]*:\/\/)?(.*)$/s.exec(uri) ?? [];
  const authority = rest.split(/[/?#]/, 1)[0] ?? '';
  // Without scheme it may be `user@host:path`, whose path may have an `@` too.
  const end = scheme === undefined ? authority.indexOf('@') : authority.lastIndexOf('@');
  return /:./s.test(authority.slice(0, Math.max(0, end)));
}
