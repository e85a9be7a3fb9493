import { randomBytes } from 'node:crypto';
import type { AttemptEnd } from '../../notifications/kinds/attempt.js';
import type { ProbeReport, ProbeStep } from '../../notifications/kinds/probe.js';
import { CONTENT_TYPE } from '../../notifications/delivery/cloud-event.js';
import { describeHandshake, grantOf, type Handshake } from '../../notifications/delivery/handshake.js';
import type { Probe, ProbeRequest } from '../../notifications/delivery/probe.js';
import { signWebhook } from '../../notifications/delivery/sign.js';
import type { WebhookSender } from './webhook-sender.js';

export interface ProbeDeps {
  sender: WebhookSender;
  userAgent: string;
  /** Host that the sender goes by. */
  origin: string;
  /** For each question, connecting included. */
  stepMs?: number;
  now?: () => Date;
}

interface Question {
  method: 'POST' | 'PUT' | 'GET' | 'OPTIONS';
  /** `webhook-id`. */
  id: string;
  /** Seconds. */
  timestamp: number;
  body: string;
  expected: string;
  fits: (end: Answer) => boolean;
}
type Answer = AttemptEnd & { handshake?: Handshake };

/**
 * Asks a receiver the same notice twice, which rate it grants, and about its receipts: what it answers is the level that it
 * has proven. The notices are of type `ops.probe`, under ids that no other notice has.
 */
export function createProbe(deps: ProbeDeps): Probe {
  const { sender, userAgent, origin, stepMs = 5_000, now = () => new Date() } = deps;

  async function ask(probing: ProbeRequest, question: Question): Promise<ProbeStep & { end: Answer }> {
    const { spec, keys } = probing;
    const { method, id, timestamp, body, expected, fits } = question;
    const type = { POST: CONTENT_TYPE, PUT: 'application/json', GET: undefined, OPTIONS: undefined }[method];
    const toUrl = method === 'POST' || method === 'OPTIONS';
    const address = toUrl ? (spec.url ?? '') : `${spec.receipt_url?.replace(/\/$/, '')}/${id}`;
    const end = await sender.send({
      method,
      url: new URL(address),
      headers: {
        ...spec.headers,
        ...(type !== undefined && { 'content-type': type }),
        'user-agent': userAgent,
        ...(method === 'OPTIONS' && {
          'webhook-request-origin': origin,
          'webhook-request-rate': String(spec.rate.per_second * 60),
        }),
        ...signWebhook({ id, timestamp, body, keys }),
      },
      body,
      fresh: true,
      deadline: new Date(now().getTime() + stepMs),
    });
    const sent = `${method} ${address} with webhook-id ${id}`;
    return { sent, expected, received: describe(end), ok: fits(end), end };
  }

  return async function probe(probing) {
    const at = now();
    const second = Math.floor(at.getTime() / 1_000);
    const [known, unknown, withdrawn] = [newId(), newId(), newId()];
    const steps: ProbeStep[] = [];
    const put = async (question: Question): Promise<Answer | undefined> => {
      const { end, ...step } = await ask(probing, question);
      steps.push(step);
      return step.ok ? end : undefined;
    };
    const notice = (id: string) => ({ method: 'POST', id, body: noticeOf(probing.id, id, at) }) as const;
    const post = { ...notice(known), timestamp: second };
    const taken = await put({ ...post, expected: 'a status of 2xx', fits: isTaken });
    const allowed = taken === undefined ? undefined : await shakeHands();
    const report = (found: Pick<ProbeReport, 'level' | 'receipts'>): ProbeReport => ({
      ...{ at: at.toISOString(), answered: taken !== undefined, steps },
      ...found,
      ...(allowed !== undefined && { allowed_per_minute: allowed }),
    });
    if (taken === undefined) return report({ level: 'L0', receipts: 'none' });

    /** Whoever knows nothing of it grants everything. @returns requests a minute */
    async function shakeHands(): Promise<number | undefined> {
      const id = newId();
      const grantBy = ({ handshake = {} }: Answer) => grantOf(handshake, origin);
      const end = await put({
        ...{ method: 'OPTIONS', id, timestamp: second, body: '' },
        expected: `anything, or a grant to ${origin}: webhook-allowed-origin and webhook-allowed-rate`,
        fits: (answer) => grantBy(answer).ok,
      });
      return end && grantBy(end).perMinute;
    }

    const says = (receipt: AttemptEnd['receipt']) => (end: AttemptEnd) => isTaken(end) && end.receipt === receipt;
    const again = { ...post, timestamp: second + 1, expected: '2xx with webhook-receipt: duplicate' };
    const dropped = await put({ ...again, fits: says('duplicate') });
    const dedupes = dropped !== undefined && taken.receipt === 'new';
    if (probing.spec.receipt_url === null) return report({ level: dedupes ? 'L1' : 'L0', receipts: 'none' });

    const receipt = { method: 'GET', timestamp: second, body: '' } as const;
    const reads = [
      await put({ ...receipt, id: known, expected: '200', fits: ({ status }) => status === 200 }),
      await put({ ...receipt, id: unknown, expected: '404', fits: ({ status }) => status === 404 }),
    ].every((end) => end !== undefined);
    const refuse = { method: 'PUT', id: withdrawn, timestamp: second, body: `{"refuse_until":${second}}` } as const;
    const older = { ...notice(withdrawn), timestamp: second - 1 };
    const isRefused = ({ status, receipt: said }: AttemptEnd): boolean => status === 409 && said === 'refused';
    const refuses = [
      await put({ ...refuse, expected: '200 with {"state":"refused"}', fits: promisesRefusal }),
      await put({ ...older, expected: '409 with webhook-receipt: refused', fits: isRefused }),
    ].every((end) => end !== undefined);
    const receipts = !reads ? 'none' : refuses ? 'tombstone' : 'read';
    return report({ level: !dedupes ? 'L0' : receipts === 'tombstone' ? 'L2' : 'L1', receipts });
  };
}

const isTaken = ({ outcome }: AttemptEnd): boolean => outcome === 'confirmed';

function promisesRefusal({ status, answer }: AttemptEnd): boolean {
  return status === 200 && /^\s*\{\s*"state"\s*:\s*"refused"\s*\}\s*$/.test(answer ?? '');
}

const newId = (): string => `prb_${randomBytes(12).toString('hex')}`;

function noticeOf(subscription: string, id: string, at: Date): string {
  return JSON.stringify({
    specversion: '1.0',
    id: `evt_${id}`,
    source: `/v2/subscriptions/${subscription}`,
    type: 'ops.probe',
    subject: subscription,
    time: at.toISOString(),
    datacontenttype: 'application/json',
    subscriptionid: subscription,
    noticeid: id,
    data: { subscription },
  });
}

function describe({ status, receipt, error, handshake }: Answer): string {
  if (status === undefined) return error ?? 'no answer';
  if (handshake !== undefined) return `${status}${describeHandshake(handshake)}`;
  return receipt === undefined ? String(status) : `${status} with webhook-receipt: ${receipt}`;
}
