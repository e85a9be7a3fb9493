import type { Middleware } from 'koa';
import { Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { ApiState } from './state.js';

/** Counts and times requests by route pattern, so that ids in paths do not multiply the series. */
export function measureRequests({ metrics }: { metrics: Registry }): Middleware<ApiState> {
  const duration = new Histogram({
    name: 'slipway_api_request_duration_seconds',
    help: 'Time to the answer of a request of the management API; of a log, to its first byte',
    labelNames: ['route', 'status'],
    buckets: [0.005, 0.02, 0.1, 0.5, 1, 5, 10],
    registers: [metrics],
  });
  return async function measureRequests(ctx, next) {
    const stop = duration.startTimer();
    await next();
    stop({ route: ctx.state.route || 'none', status: ctx.status });
  };
}
