import { Router } from '@koa/router';
import Koa from 'koa';
import type { Registry } from 'prom-client';

export interface InternalApiDeps {
  metrics: Registry;
  /** Rejects when a service that every request needs cannot be reached. */
  checkReady: () => Promise<void>;
}

/** Creates the API for the machine that runs this process; it needs no token, as it is never reachable from outside. */
export function createInternalApi({ metrics, checkReady }: InternalApiDeps): Koa {
  const router = new Router()
    .get('/livez', async (ctx) => {
      ctx.body = {};
    })
    .get('/readyz', async (ctx) => {
      const problem = await checkReady().then(
        () => undefined,
        (err: unknown) => (err instanceof Error ? err.message : 'not ready'),
      );
      ctx.status = problem === undefined ? 200 : 503;
      ctx.body = problem === undefined ? {} : { message: problem };
    })
    .get('/metrics', async (ctx) => {
      ctx.type = metrics.contentType;
      ctx.body = await metrics.metrics();
    });
  const app = new Koa();
  app.use(router.routes());
  return app;
}
