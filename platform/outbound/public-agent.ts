import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { SlipwayError } from '../kinds/errors.js';
import { type Network, refusedAddress, type Resolve } from '../kinds/network-addresses.js';
import { resolveHost } from './resolve-host.js';

export interface PublicAgentOptions {
  /**
   * `networks`: ranges that are allowed although they are not public. `hosts`: names, without ports, that an operator
   * chose, and whose addresses are therefore not checked.
   */
  policy: { networks: readonly Network[]; hosts?: readonly string[] };
  resolve?: Resolve;
  connectTimeoutMs?: number;
}

/**
 * Connections to allowed addresses only. Each one resolves the name again, checks every address and goes to one of those
 * that were judged, so a name that changes its address in between leads nowhere else. No proxy is used, whatever the
 * environment says, and no redirect is followed.
 * Connecting fails with url.not_allowed, before a byte is sent.
 */
export function createPublicAgent({ policy, resolve = resolveHost, connectTimeoutMs = 5_000 }: PublicAgentOptions) {
  const judge = (host: string, addresses: readonly string[]): SlipwayError | undefined => {
    if (policy.hosts?.includes(host.toLowerCase())) return undefined;
    const refused = refusedAddress(host, addresses, policy.networks);
    return refused === undefined ? undefined : new SlipwayError('url.not_allowed', refused);
  };

  const judgedLookup: LookupFunction = (hostname, { all }, callback) => {
    const give = (addresses: readonly string[]): void => {
      const [first] = addresses;
      if (first === undefined) return callback(noAddress(hostname), '', 0);
      const err = judge(hostname, addresses);
      if (err !== undefined) return callback(err, '', 0);
      if (!all) return callback(null, first, isIP(first));
      callback(
        null,
        addresses.map((address) => ({ address, family: isIP(address) })),
      );
    };
    resolve(hostname).then(give, (err: Error) => callback(err, '', 0));
  };

  const connector = buildConnector({ timeout: connectTimeoutMs, lookup: judgedLookup });
  return new Agent({
    connect: (options, callback) => {
      // An address in the url itself is never looked up.
      const host = options.hostname.replace(/^\[|\]$/g, '');
      const err = isIP(host) === 0 ? undefined : judge(host, [host]);
      if (err !== undefined) return callback(err, null);
      connector(options, callback);
    },
  });
}

const noAddress = (hostname: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname });
