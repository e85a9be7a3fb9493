import { type Network, parseNetwork } from '../kinds/network-addresses.js';

const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/** Returns the ranges that callers may name although they are not public; development has its servers on loopback. */
export function openNetworks(isProduction: boolean, named: readonly string[] | undefined): Network[] {
  const open = named ?? (isProduction ? [] : LOOPBACK);
  return open.flatMap((text) => parseNetwork(text) ?? []);
}
