import type { Logger } from 'pino';
import type { Settings } from '../../config.js';
import { webhookRules } from '../../api/lifecycle/validation-context.js';
import type { WebhookPolicy } from '../../platform/kinds/webhook-url.js';

/** Returns the addresses that webhooks may use by the settings, and logs those that are not public. */
export function webhookPolicy(settings: Settings, log: Pick<Logger, 'warn'>): WebhookPolicy {
  const { SLIPWAY_WEBHOOK_PRIVATE: everywhere, SLIPWAY_WEBHOOK_NETWORKS: some } = settings;
  const networks = everywhere ? ['0.0.0.0/0', '::/0'] : some;
  if (networks.length > 0) log.warn(`webhooks may also go to ${networks.join(', ')}`);
  return webhookRules(settings);
}
