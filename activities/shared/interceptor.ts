import type { ActivityExecuteInput, ActivityInboundCallsInterceptor, Next } from '@temporalio/worker';
import { cancellationSignal } from '@temporalio/activity';
import { toFailure } from './failures.js';

/** Applies `toFailure` to every activity of a worker. */
export function createFailureInterceptor(): ActivityInboundCallsInterceptor {
  return {
    async execute(input: ActivityExecuteInput, next: Next<ActivityInboundCallsInterceptor, 'execute'>) {
      try {
        return await next(input);
      } catch (err) {
        throw toFailure(err, cancellationSignal());
      }
    },
  };
}
