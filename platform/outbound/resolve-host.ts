import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { SlipwayError } from '../kinds/errors.js';
import { type Network, refusedAddress, type Resolve } from '../kinds/network-addresses.js';

export interface OutboundRules {
  /** Ranges that are allowed although they are not public. */
  networks: readonly Network[];
  resolve?: Resolve;
}

/**
 * The addresses of a host, each of them allowed: a program that connects by itself is given one of these, so that a
 * name that changes its address in between leads nowhere else.
 * @param host a name or an address, without brackets
 * @returns an empty list when the name has no address now
 * @throws url.not_allowed
 */
export async function allowedAddresses(
  host: string,
  { networks, resolve = resolveHost }: OutboundRules,
): Promise<readonly string[]> {
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  const refused = refusedAddress(host, addresses, networks);
  if (refused !== undefined) throw new SlipwayError('url.not_allowed', refused);
  return addresses;
}

/** Every address that the machine's resolver knows, hosts file included; empty when it knows of none. */
export const resolveHost: Resolve = async (hostname) => {
  try {
    return (await lookup(hostname, { all: true })).map(({ address }) => address);
  } catch (err) {
    if (err instanceof Error && 'code' in err && err.code === 'ENOTFOUND') return [];
    throw err;
  }
};
