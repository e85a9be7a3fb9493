import type { Logger } from 'pino';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { isRecord } from '../../platform/kinds/lenient.js';
import type { AuditStore } from '../../platform/stores/audit.js';
import type { ReferenceContext, ReferenceStep } from './state.js';

export interface AuditStepOptions {
  audit: Pick<AuditStore, 'append'>;
  logger: Pick<Logger, 'error'>;
}

/**
 * Routes with a method of writes that leave no audit record when they succeed: they only read, or happen for each row or
 * page. The log of a dataset has the actor of each row.
 */
export const NOT_AUDITED: readonly string[] = [
  'POST /v2/graphql',
  'POST /v2/subscriptions/:id/explain',
  'POST /v2/feed/:id/consumers/:name/ack',
  'POST /v2/:dataset',
  'POST /v2/:dataset/batch',
  'PUT /v2/:dataset/:id',
  'PATCH /v2/:dataset/:id',
  'DELETE /v2/:dataset/:id',
  'PATCH /v2/:dataset/imports/:id',
];

const KINDS: Readonly<Record<string, string>> = {
  keys: 'ApiKey',
  subscriptions: 'Subscription',
  feed: 'Subscription',
  watches: 'Watch',
};
const VERBS: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'update', DELETE: 'delete' };
/** Collections below an object; any other last word of a POST is what it does. */
const PARTS = ['secrets', 'deliveries', 'consumers', 'imports'];

/** Appends an audit record of a write that succeeded, and of each request that was refused because a scope is missing. */
export function auditStep(method: string, path: string, { audit, logger }: AuditStepOptions): ReferenceStep {
  const isWrite = method !== 'GET' && !NOT_AUDITED.includes(`${method} ${path}`);

  async function append(ctx: ReferenceContext, action: string): Promise<void> {
    const { client, requestId } = ctx.state;
    const { part, ...target } = targetOf(path, ctx);
    const changes = part === '' ? [] : [{ path: part, from: null, to: action }];
    // A failure of the audit log does not change a reply that may hold the only copy of a secret.
    await audit
      .append({ user: { sub: client.actor }, action, ...target, changes, requestId })
      .catch((err: unknown) => logger.error({ err, requestId, action }, 'a request is not in the audit log'));
  }

  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      if (isDenied(error)) await append(ctx, 'denied');
      throw error;
    }
    if (isWrite) await append(ctx, actionOf(method, path));
  };
}

const DENIALS: readonly string[] = ['auth.scope', 'subscription.not_owner'];

/** An object that a client may not read looks missing; the cause tells why. */
const isDenied = (error: unknown): boolean =>
  error instanceof SlipwayError && (DENIALS.includes(error.code) || isDenied(error.cause));

function actionOf(method: string, path: string): string {
  const [, , ...below] = path.split('/').slice(1); // without `v2` and the collection
  const words = below.filter((word) => !word.startsWith(':'));
  const last = words.at(-1);
  const part = words.find((word) => PARTS.includes(word));
  const verb = method !== 'POST' || last === undefined || last === part ? (VERBS[method] ?? method) : last;
  return part === undefined ? verb : `${part}.${verb}`;
}

function targetOf(path: string, ctx: ReferenceContext): { kind: string; entityId: string; part: string } {
  const [, , collection = ''] = path.split('/');
  const { params, body } = ctx;
  const created = isRecord(body) && typeof body.id === 'string' ? body.id : '';
  const dataset = params.dataset ?? (collection === 'datasets' ? params.name : undefined);
  const kind = KINDS[collection] ?? (dataset === undefined ? '' : 'Dataset');
  const entityId = dataset ?? params.id ?? created;
  // `deliveries/4` of `POST .../deliveries/4/cancel`.
  const below = path.split('/').slice(params.dataset === undefined ? 4 : 3);
  const part = PARTS.includes(below[0] ?? '') ? [below[0], params[(below[1] ?? '').slice(1)]] : [];
  return { kind, entityId, part: part.filter(Boolean).join('/') };
}
