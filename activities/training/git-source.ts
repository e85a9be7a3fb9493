import type { OutboundRules } from '../../platform/outbound/resolve-host.js';
import type { GitServer } from './git-server.js';

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
  /** The addresses that git may reach; without rules, public ones. */
  outbound?: OutboundRules;
  /** Accept the host key of an ssh server that the connection names no key of. */
  sshFirstUse?: boolean;
  /** Seconds of silence after which a server counts as hanging. */
  silenceSeconds?: number;
  signal?: AbortSignal;
}

/** A source whose address was judged: `local` is a real path under an allowed folder. */
export interface Located extends GitSource {
  form: 'http' | 'ssh' | 'local';
  /** Absent for a local path. */
  server?: GitServer;
}
