import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import { KIND_ROWS } from '../../openapi/lifecycle/kinds.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { AuditStore } from '../../platform/stores/audit.js';
import { toUser } from './audit-record.js';
import type { ApiState } from './state.js';

/** Appends an audit record of every request that was refused because the caller lacks a role. */
export function auditDenials({ audit, logger }: { audit: AuditStore; logger: Logger }): Middleware<ApiState> {
  return async function auditDenials(ctx, next) {
    try {
      await next();
    } catch (error) {
      const isDenied = error instanceof SlipwayError && error.code === 'forbidden';
      if (isDenied) {
        const { caller, requestId } = ctx.state;
        // A failure of the audit log does not change the refusal.
        await audit
          .append({ user: toUser(caller), action: 'denied', ...targetOf(ctx.path), changes: [], requestId })
          .catch((err: unknown) => logger.error({ err, requestId }, 'a denied request is not in the audit log'));
      }
      throw error;
    }
  };
}

function targetOf(path: string): { kind: string; entityId: string } {
  const row = KIND_ROWS.find((each) => `${path}/`.startsWith(`/api/v1${each.path}/`));
  if (row === undefined) return { kind: '', entityId: '' };
  const [entityId = ''] = path.slice(`/api/v1${row.path}/`.length).split('/');
  return { kind: row.kind, entityId };
}
