import { cancellationSignal } from '@temporalio/activity';
import { Webhook } from 'standardwebhooks';
import type { Agent } from 'undici';
import { request } from 'undici';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { RunRef } from '../../platform/kinds/ids.js';
import type { PipelineRun } from '../../lifecycle/kinds/pipeline-run.js';
import type { RunNotification } from '../../lifecycle/kinds/pipeline.js';
import type { Pipeline } from '../../lifecycle/kinds/pipeline.js';
import type { ResourceStore } from '../../platform/stores/resources.js';

export interface NotifyDeps {
  pipelines: ResourceStore<Pipeline>;
  pipelineRuns: ResourceStore<PipelineRun>;
  /** The secret that a pipeline's notices are signed with. */
  noticeSecret: (pipeline: Pipeline) => Buffer;
  /** Goes to allowed addresses only. */
  webhookAgent: Agent;
  now?: () => Date;
}

export interface Notification {
  ref: RunRef;
  notice: RunNotification;
  /** Place of the address in the pipeline's `notify`. */
  target: number;
}

const TIMEOUT_MS = 10_000;
/** Answers that a repeat may change. */
const TRANSIENT = [408, 425, 429];

/** Tells addresses of a pipeline what its runs have come to (Standard Webhooks 1.0). */
export function createNotifyActivities(deps: NotifyDeps) {
  const { pipelines, pipelineRuns, noticeSecret, webhookAgent, now = () => new Date() } = deps;
  return {
    /**
     * Sends one notice to one address. The id is the same however often it is sent, so that a receiver knows a repeat.
     * @throws validation_failed when it is refused for good; url.not_allowed; unavailable
     */
    async notifyPipelineRun({ ref, notice, target }: Notification): Promise<void> {
      const run = await pipelineRuns.get(ref.id);
      const pipeline = run && (await pipelines.get(run.spec.pipeline));
      const url = run?.spec.template.notify[target]?.url;
      if (!run || !pipeline || url === undefined) return;
      const at = now();
      const id = `${ref.uid}.${ref.generation}.${notice}`;
      const body = JSON.stringify({
        type: `pipeline.run.${notice}`,
        timestamp: at.toISOString(),
        data: { pipeline: pipeline.id, number: run.spec.number, trigger: run.spec.trigger.type, ...run.status },
      });
      const address = new URL(url);
      const signature = new Webhook(noticeSecret(pipeline), { format: 'raw' }).sign(id, at, body);
      const reply = await request(address, {
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'slipway',
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
          'webhook-signature': signature,
        },
        dispatcher: webhookAgent,
        signal: AbortSignal.any([cancellationSignal(), AbortSignal.timeout(TIMEOUT_MS)]),
      }).catch((cause: unknown) => {
        if (cause instanceof SlipwayError) throw cause;
        throw new SlipwayError('unavailable', `${address.host} does not answer`, {
          publicMessage: 'it does not answer',
          cause,
        });
      });
      await reply.body.dump();
      if (reply.statusCode < 300) return;
      const message = `${address.host} answered ${reply.statusCode}`;
      const isFinal = reply.statusCode < 500 && !TRANSIENT.includes(reply.statusCode);
      const told = `it answered ${reply.statusCode}`;
      throw new SlipwayError(isFinal ? 'validation_failed' : 'unavailable', message, { publicMessage: told });
    },
  };
}
