import type { Logger } from 'pino';
import type { Settings } from '../../config.js';
import { parseNetwork } from '../../platform/kinds/network-addresses.js';
import type { WebhookPolicy } from '../../notifications/kinds/webhook-address.js';

const EVERYWHERE = ['0.0.0.0/0', '::/0'];

/** Returns the addresses that webhooks may use by the settings, and logs those that are not public. */
export function webhookPolicy(settings: Settings, log: Pick<Logger, 'warn'>): WebhookPolicy {
  const { SLIPWAY_WEBHOOK_PRIVATE: everywhere, SLIPWAY_WEBHOOK_NETWORKS: some } = settings;
  const networks = everywhere ? EVERYWHERE : some;
  if (networks.length > 0) log.warn(`webhooks may also go to ${networks.join(', ')}`);
  return {
    networks: networks.flatMap((text) => parseNetwork(text) ?? []),
    http: everywhere || settings.SLIPWAY_WEBHOOK_HTTP,
    ports: everywhere ? 'any' : settings.SLIPWAY_WEBHOOK_PORTS,
  };
}
