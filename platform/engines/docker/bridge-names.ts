import { createHash } from 'node:crypto';
import type { ContainerSpec } from '../driver.js';

export type NetworkProfile = ContainerSpec['network'];

/** The interfaces of all networks of the platform on a host, as a pattern of nftables. */
export const BRIDGES = 'slipway*';
/** A letter of the name: a firewall's rule tells the profiles apart by it. */
const LETTERS = { none: 'n', index: 'i', internet: 'w' } as const satisfies Record<NetworkProfile, string>;

/** The interfaces of the networks of one profile. */
export const bridgesOf = (profile: NetworkProfile): string => `slipway${LETTERS[profile]}*`;

/** Whether an interface is the one of a network of this name, in one of the profiles. */
export const isBridgeOf = (network: string, bridge: string): boolean =>
  (Object.keys(LETTERS) as NetworkProfile[]).some((profile) => bridgeName(profile, network) === bridge);

/** The interface of a network. The kernel allows 15 characters. */
export const bridgeName = (profile: NetworkProfile, network: string): string =>
  `slipway${LETTERS[profile]}${createHash('sha256').update(network).digest('hex').slice(0, 7)}`;
