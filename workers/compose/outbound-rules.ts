import type { Settings } from '../../config.js';
import { openNetworks } from '../../platform/outbound/open-networks.js';
import type { OutboundRules } from '../../platform/outbound/resolve-host.js';

/** Returns the addresses that the platform may reach on behalf of callers. */
export function outboundRules({ NODE_ENV, SLIPWAY_OUTBOUND_NETWORKS }: Settings): OutboundRules {
  return { networks: openNetworks(NODE_ENV === 'production', SLIPWAY_OUTBOUND_NETWORKS) };
}
