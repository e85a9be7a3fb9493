import { Router } from '@koa/router';
import type { ApiState, Step } from './state.js';

/** For clients that want to know whether their token is good: authentication has answered 401 already if it is not. */
export function healthRoutes() {
  const confirm: Step = async (ctx) => {
    ctx.body = {};
  };
  return new Router<ApiState>().get('/health', confirm);
}
