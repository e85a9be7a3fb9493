import { Router } from '@koa/router';
import type { Degradation, Outage } from '../../platform/kinds/outage.js';
import type { ApiState, Step } from './state.js';

export interface HealthRoutesDeps {
  findOutages: () => Promise<Outage[]>;
  findDegradations: () => Promise<Degradation[]>;
}

/**
 * `GET /health` confirms a valid token, since authentication has answered 401 already when it is not, and names the
 * services that are down and the checks that failed. Clients log in by it and expect `{}`, so the status is 200 in any case.
 */
export function healthRoutes({ findOutages, findDegradations }: HealthRoutesDeps) {
  const confirm: Step = async (ctx) => {
    const [down, degraded] = await Promise.all([findOutages(), findDegradations()]);
    ctx.set('Cache-Control', 'no-store');
    ctx.body = { ...(down.length > 0 && { down }), ...(degraded.length > 0 && { degraded }) };
  };
  return new Router<ApiState>().get('/health', confirm);
}
