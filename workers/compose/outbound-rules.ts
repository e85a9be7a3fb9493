import type { Settings } from '../../config.js';
import { parseNetwork } from '../../platform/kinds/network-addresses.js';
import type { OutboundRules } from '../../platform/outbound/resolve-host.js';

const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/** Returns the addresses that the platform may reach on behalf of callers; development has its servers on loopback. */
export function outboundRules({ NODE_ENV, SLIPWAY_OUTBOUND_NETWORKS }: Settings): OutboundRules {
  const open = SLIPWAY_OUTBOUND_NETWORKS ?? (NODE_ENV === 'production' ? [] : LOOPBACK);
  return { networks: open.flatMap((text) => parseNetwork(text) ?? []) };
}
