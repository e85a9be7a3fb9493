import { isIP, type LookupFunction } from 'node:net';
import { SlipwayError } from '../kinds/errors.js';
import { type Network, refusedAddress, type Resolve } from '../kinds/network-addresses.js';
import { resolveHost } from './resolve-host.js';

export interface JudgedLookupOptions {
  /**
   * `networks`: ranges that are allowed although they are not public. `hosts`: names, without ports, that an operator
   * chose, and whose addresses are therefore not checked.
   */
  policy: { networks: readonly Network[]; hosts?: readonly string[] };
  resolve?: Resolve;
}

/** The two checks that every connection passes: of an address in the url itself, and of what a name resolves to. */
export function createJudgedLookup({ policy, resolve = resolveHost }: JudgedLookupOptions) {
  const judge = (host: string, addresses: readonly string[]): SlipwayError | undefined => {
    if (policy.hosts?.includes(host.toLowerCase())) return undefined;
    const refused = refusedAddress(host, addresses, policy.networks);
    return refused === undefined ? undefined : new SlipwayError('url.not_allowed', refused);
  };

  const lookup: LookupFunction = (hostname, { all }, callback) => {
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

  /** An address in the url itself is never looked up. @param name a name, or an address with or without brackets */
  const refusedHost = (name: string): SlipwayError | undefined => {
    const host = name.replace(/^\[|\]$/g, '');
    return isIP(host) === 0 ? undefined : judge(host, [host]);
  };

  return { lookup, refusedHost };
}

const noAddress = (hostname: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname });
