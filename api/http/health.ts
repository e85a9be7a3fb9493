import { Router } from '@koa/router';
import type { ApiState, Step } from './state.js';

/** Confirms a valid token: authentication has answered 401 already when it is not. */
export function healthRoutes() {
  const confirm: Step = async (ctx) => {
    ctx.body = {};
  };
  return new Router<ApiState>().get('/health', confirm);
}
