import type { Agent } from 'undici';
import { type ImageRules, namedHosts } from '../kinds/image-rules.js';
import type { Resolve } from '../kinds/network-addresses.js';
import { createPublicAgent } from './public-agent.js';

/**
 * Connections to image registries, to the token realms that they name and to the stores that they redirect to, for a
 * client that speaks to registries by itself with undici. Each address is checked and pinned;
 * registries that the operator named may be anywhere.
 */
export const createRegistryAgent = (rules: ImageRules, resolve?: Resolve): Agent =>
  createPublicAgent({ policy: { networks: rules.networks, hosts: namedHosts(rules) }, resolve });
