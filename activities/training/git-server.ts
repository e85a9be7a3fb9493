import type { GitUri } from '../../lifecycle/kinds/git-uri.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { outsideFailed } from '../../platform/kinds/outside-failure.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import { allowedAddresses, type OutboundRules } from '../../platform/outbound/resolve-host.js';

/** The server of a repository, and the address at which git must reach it. */
export interface GitServer {
  host: string;
  port: number;
  address: string;
}

const DEFAULT_PORTS = { http: 80, https: 443, ssh: 22, scp: 22, local: 0 } as const;

/**
 * Resolves the host of a git address and refuses one that no request may be sent to.
 * @throws run_failed, reason SourceCheckoutFailed; unavailable while the name cannot be resolved
 */
export async function locateServer(uri: GitUri, rules: OutboundRules = { networks: [] }): Promise<GitServer> {
  const { hostname, port } = parseHost(uri);
  const host = hostname.replace(/^\[|\]$/g, '');
  const [address] = await allowedAddresses(host, rules).catch((cause: unknown) => {
    if (!(cause instanceof SlipwayError)) throw unresolved(host, cause);
    const message = `the git server may not be used: ${cause.message}; SLIPWAY_OUTBOUND_NETWORKS opens networks`;
    throw runFailed({ reason: 'SourceCheckoutFailed', message });
  });
  if (address === undefined) throw unresolved(host);
  return { host, port, address };
}

/** An https address is read as git's own parser of URLs does: `URL` knows the odd notations of IPv4. */
function parseHost({ form, host }: GitUri): { hostname: string; port: number } {
  const href = `http://${host}/`;
  if (!URL.canParse(href)) {
    throw runFailed({ reason: 'SourceCheckoutFailed', message: `"${host}" is no host of a git server` });
  }
  const { hostname } = new URL(href);
  return { hostname, port: Number(/:(\d+)$/.exec(host)?.[1] ?? DEFAULT_PORTS[form]) };
}

const unresolved = (host: string, cause?: unknown): SlipwayError =>
  outsideFailed(
    {
      party: 'the git server',
      said: `${host} has no address`,
      fault: 'its name cannot be resolved',
      reason: 'SourceCheckoutFailed',
    },
    cause,
  );
