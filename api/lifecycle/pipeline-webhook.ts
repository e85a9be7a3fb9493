import { Router } from '@koa/router';
import { notFound, SlipwayError } from '../../platform/kinds/errors.js';
import { readRunRequest } from '../../lifecycle/kinds/pipeline-run-request.js';
import type { PipelineRun } from '../../lifecycle/kinds/pipeline-run.js';
import type { Pipeline } from '../../lifecycle/kinds/pipeline.js';
import type { Runs } from '../../platform/kinds/runs.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { IdempotencyStore } from '../../platform/stores/idempotency.js';
import { noticeSecrets, secretText, triggerSecrets } from '../../lifecycle/stores/webhook-secrets.js';
import type { AuditStore } from '../../platform/stores/audit.js';
import type { Quotas } from '../../lifecycle/stores/quotas.js';
import { createTriggeredRuns } from '../../lifecycle/stores/triggered-runs.js';
import type { PipelineRunStore } from '../../lifecycle/stores/pipeline-runs.js';
import { parseVerifyingKey } from '../../notifications/delivery/signing-keys.js';
import { verifyWebhook } from '../../notifications/delivery/verify.js';
import type { RecordChange } from '../http/audit-record.js';
import { MANIFEST_LIMIT_BYTES, parseJson } from '../http/body.js';
import { readBytes } from '../http/body-bytes.js';
import { answerOnce } from '../http/idempotency.js';
import type { SecretBox } from '../../platform/stores/secrets.js';
import { gitHubMessageId, isSignedByGitHub, reasonToIgnore } from './github-message.js';
import type { ResourceIdentity } from './generations.js';
import type { ApiContext, ApiState, Step } from '../http/state.js';

export interface PipelineWebhookRoutesDeps extends ResourceIdentity {
  pipelines: ResourceStore<Pipeline>;
  pipelineRunStore: PipelineRunStore;
  quotas: Quotas;
  audit: AuditStore;
  runs: Runs;
  secretBox: Pick<SecretBox, 'derive'>;
  idempotency: IdempotencyStore;
  baseUrl: string;
  record: RecordChange;
}

interface HookState {
  pipeline: Pipeline;
  messageId: string;
  run: PipelineRun;
}
type HookStep = Step<HookState>;

/** Starts of pipelines by signed requests: Standard Webhooks, or the signature that GitHub sends. */
export function pipelineWebhookRoutes(deps: PipelineWebhookRoutesDeps) {
  const triggered = createTriggeredRuns(deps);
  const { pipelines, runs, secretBox, idempotency, baseUrl, record, now } = deps;

  const show: HookStep = async (ctx) => {
    const { id = '' } = ctx.params ?? {};
    const pipeline = await pipelines.get(id);
    if (pipeline === undefined) throw notFound(id);
    const { enabled } = pipeline.spec.triggers.webhook;
    const [secret] = triggerSecrets(secretBox, pipeline);
    const [notice] = noticeSecrets(secretBox, pipeline);
    await record(ctx, { action: 'decrypt', before: pipeline, after: pipeline });
    ctx.set('Cache-Control', 'no-store');
    const url = `${baseUrl}/api/v1/model/pipeline/${id}/webhook`;
    ctx.body = { enabled, url, secret: secretText(secret), noticeSecret: secretText(notice) };
  };

  /** Verifies the signature; the error does not reveal whether the pipeline exists. */
  const verify: HookStep = async (ctx, next) => {
    const bytes = await readBytes(ctx, MANIFEST_LIMIT_BYTES);
    const pipeline = await pipelines.get(ctx.params?.id ?? '');
    const secrets = pipeline?.spec.triggers.webhook.enabled ? triggerSecrets(secretBox, pipeline) : [];
    const messageId = secrets.map((secret) => verified(ctx, bytes, secret)).find((id) => id !== undefined);
    if (pipeline === undefined || messageId === undefined) {
      throw new SlipwayError('unauthenticated', 'the signature does not match: check the secret of the webhook');
    }
    Object.assign(ctx.state, { pipeline, messageId, bodyBytes: bytes });
    await next();
  };

  /** Answers a message of GitHub that starts no run with the reason: GitHub shows it beside the delivery. */
  const select: HookStep = async (ctx, next) => {
    const { pipeline, bodyBytes: body = Buffer.alloc(0) } = ctx.state;
    const message = { event: ctx.get('x-github-event'), body, now: now() };
    const ignored = isGitHubs(ctx) ? reasonToIgnore(message, pipeline.spec.triggers.webhook) : undefined;
    if (ignored === undefined) await next();
    else ctx.body = { ignored };
  };

  /** Answers a repeated message with the first reply: its id is signed, or follows from what is. */
  const once: HookStep = async (ctx, next) => {
    const { pipeline, messageId, bodyBytes } = ctx.state;
    const { method, path } = ctx;
    const caller = `webhook of ${pipeline.uid}`;
    const call = { caller, method, path, key: messageId, body: bodyBytes ?? '' };
    await answerOnce(ctx, { store: idempotency, call, answer: next });
  };

  const open: HookStep = async (ctx, next) => {
    const { pipeline, bodyBytes, messageId } = ctx.state;
    // A message of GitHub is about the repository: it starts a run, but holds no request of one.
    const body = !isGitHubs(ctx) && bodyBytes && bodyBytes.length > 0 ? parseJson(bodyBytes) : {};
    const { parameters, version, noCache } = readRunRequest(body, pipeline);
    const trigger = {
      type: 'webhook',
      at: now().toISOString(),
      message: `message ${isGitHubs(ctx) ? ctx.get('x-github-delivery') : messageId}`,
      key: messageId,
    } as const;
    ctx.state.run = await triggered.open(pipeline.id, { parameters, version, noCache, trigger });
    await runs.changed('pipeline', ctx.state.run);
    await next();
  };

  const reply: HookStep = async (ctx) => {
    ctx.status = 202;
    ctx.body = { id: ctx.state.run.id, number: ctx.state.run.spec.number };
  };

  return new Router<ApiState & HookState>({ prefix: '/api/v1/model/pipeline/:id/webhook' })
    .get('/', show)
    .post('/', verify, select, once, open, reply);
}

const MESSAGE_ID = /^[\x21-\x7e]{1,255}$/;

/** A message without the headers of Standard Webhooks is taken for one of GitHub. */
const isGitHubs = (ctx: Pick<ApiContext, 'get'>): boolean => ctx.get('webhook-signature') === '';

/** @returns the id of a message that was signed with this secret */
function verified(ctx: ApiContext, bytes: Buffer, secret: Buffer): string | undefined {
  if (isGitHubs(ctx)) {
    if (!MESSAGE_ID.test(ctx.get('x-github-delivery'))) return undefined;
    const isSigned = isSignedByGitHub(bytes, ctx.get('x-hub-signature-256'), secretText(secret));
    return isSigned ? gitHubMessageId(bytes) : undefined;
  }
  const keys = [parseVerifyingKey(secretText(secret))];
  const result = verifyWebhook({ headers: ctx.headers, body: bytes, keys });
  return result.ok && MESSAGE_ID.test(result.id) ? result.id : undefined;
}
