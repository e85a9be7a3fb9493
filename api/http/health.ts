import { Router } from '@koa/router';
import type { Outage } from '../../platform/kinds/outage.js';
import type { ApiState, Step } from './state.js';

export interface HealthRoutesDeps {
  findOutages: () => Promise<Outage[]>;
}

/**
 * `GET /health` confirms a valid token, since authentication has answered 401 already when it is not, and names the
 * services that are down. Clients log in by it and expect `{}`, so the status is 200 in any case.
 */
export function healthRoutes({ findOutages }: HealthRoutesDeps) {
  const confirm: Step = async (ctx) => {
    const down = await findOutages();
    ctx.set('Cache-Control', 'no-store');
    ctx.body = down.length === 0 ? {} : { down };
  };
  return new Router<ApiState>().get('/health', confirm);
}
