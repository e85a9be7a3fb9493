import { createHash } from 'node:crypto';
import type { ContainerSpec } from '../driver.js';

export type NetworkProfile = ContainerSpec['network'];

/** Third part of a name: a firewall's rule tells the profiles apart by it. */
const LETTERS = { none: 'n', index: 'i', internet: 'w' } as const satisfies Record<NetworkProfile, string>;

const digest = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, length);

/** Four letters of an engine, by its address as in `DOCKER_HOST`: they tell the interfaces of installations apart. */
export const engineKey = (address: string): string => digest(address.replace(/^\w+:\/\//, ''), 4);

/**
 * The interfaces on the engine's host that belong to the networks of an engine, of one profile or of all of them, as a
 * pattern of nftables (`sw1f2e*`).
 */
export const bridgePattern = (key: string, profile?: NetworkProfile): string =>
  `sw${key}${profile === undefined ? '' : LETTERS[profile]}*`;

/** The interface of a network. The kernel allows 15 characters. */
export const bridgeName = (key: string, profile: NetworkProfile, network: string): string =>
  `sw${key}${LETTERS[profile]}${digest(network, 8)}`;
