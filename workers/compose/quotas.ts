import type { Settings } from '../../config.js';
import { limitsOf } from '../../lifecycle/kinds/quota.js';
import { createKeptHoldings } from '../../lifecycle/stores/kept-holdings.js';
import { createQuotas } from '../../lifecycle/stores/quotas.js';
import type { Stores } from './stores.js';

interface QuotasContext {
  settings: Settings;
  stores: Stores;
  onError: (err: unknown) => void;
}

/** The quotas of an installation, with what is held kept in the memory of this process from the first question on. */
export function openQuotas({ settings, stores, onError }: QuotasContext) {
  const kept = createKeptHoldings({ database: stores.database, onError });
  const limits = limitsOf({ owner: settings.SLIPWAY_OWNER_QUOTA, installation: settings.SLIPWAY_QUOTA });
  return { quotas: createQuotas({ ...stores, limits, kept }), stop: () => kept.stop() };
}
