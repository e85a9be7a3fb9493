import { Router } from '@koa/router';
import { type Amounts, QUOTA_NAMES, type QuotaName, showAmount, sumOf } from '../../lifecycle/kinds/quota.js';
import type { Holding } from '../../lifecycle/kinds/quota.js';
import type { Quotas } from '../../lifecycle/stores/quotas.js';
import type { ApiState, Step } from '../http/state.js';

export interface QuotaRoutesDeps {
  quotas: Quotas;
}

/** Counts what a request makes while the steps after it store and start it. @throws quota_exceeded */
export function quotaStep<State extends object>(
  { quotas }: QuotaRoutesDeps,
  holdingOf: (state: ApiState & State) => Holding | Promise<Holding>,
): Step<State> {
  return async (ctx, next) => {
    const release = await quotas.reserve(await holdingOf(ctx.state));
    try {
      await next();
    } finally {
      release();
    }
  };
}

/** `GET /api/v1/quota`: what the caller and all owners hold, and may hold. Quantities as specs write them. */
export function quotaRoutes({ quotas }: QuotaRoutesDeps) {
  const reply: Step = async (ctx) => {
    const { sub } = ctx.state.caller;
    const holdings = await quotas.holdings();
    const { owner, installation } = quotas.limits;
    ctx.body = {
      owner: toReply(sumOf(holdings.filter((each) => each.owner === sub)), owner),
      installation: toReply(sumOf(holdings), installation),
    };
  };
  return new Router<ApiState>({ prefix: '/api/v1/quota' }).get('/', reply);
}

function toReply(used: Amounts, limit: Amounts) {
  const shown = (name: QuotaName) => ({ used: showAmount(name, used[name]), limit: showAmount(name, limit[name]) });
  return Object.fromEntries(QUOTA_NAMES.map((name) => [name, shown(name)]));
}
