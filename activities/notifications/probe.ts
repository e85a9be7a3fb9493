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
  /** Host name that the sender announces. */
  origin: string;
  /** Limit of each request, connecting included. */
  stepMs?: number;
  now?: () => Date;
}

interface ProbeQuestion {
  method: 'POST' | 'PUT' | 'GET' | 'OPTIONS';
  /** `webhook-id`. */
  id: string;
  /** Seconds. */
  timestamp: number;
  body: string;
  expected: string;
  isExpected: (end: ProbeAnswer) => boolean;
}
type ProbeAnswer = AttemptEnd & { handshake?: Handshake };

/**
 * Probes a receiver: sends one event twice, and asks for its rate and its receipts. Its answers prove its level. The events
 * have type `ops.probe` and ids that no other event has.
 */
export function createProbe(deps: ProbeDeps): Probe {
  const { sender, userAgent, origin, stepMs = 5_000, now = () => new Date() } = deps;

  async function ask(probing: ProbeRequest, question: ProbeQuestion): Promise<ProbeStep & { end: ProbeAnswer }> {
    const { spec, keys } = probing;
    const { method, id, timestamp, body, expected, isExpected } = question;
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
    return { sent, expected, received: describe(end), ok: isExpected(end), end };
  }

  return async function probe(probing) {
    const at = now();
    const second = Math.floor(at.getTime() / 1_000);
    const [known, unknown, withdrawn] = [newId(), newId(), newId()];
    const steps: ProbeStep[] = [];
    const run = async (question: ProbeQuestion): Promise<ProbeAnswer | undefined> => {
      const { end, ...step } = await ask(probing, question);
      steps.push(step);
      return step.ok ? end : undefined;
    };
    const probeEvent = (id: string) => ({ method: 'POST', id, body: probeEventOf(probing.id, id, at) }) as const;
    const post = { ...probeEvent(known), timestamp: second };
    const accepted = await run({ ...post, expected: 'a status of 2xx', isExpected: isAccepted });
    const allowed = accepted === undefined ? undefined : await askRate();
    const report = (found: Pick<ProbeReport, 'level' | 'receipts'>): ProbeReport => ({
      ...{ at: at.toISOString(), answered: accepted !== undefined, steps },
      ...found,
      ...(allowed !== undefined && { allowed_per_minute: allowed }),
    });
    if (accepted === undefined) return report({ level: 'L0', receipts: 'none' });

    /** Asks for the rate; a receiver without the handshake sets no limit. @returns requests per minute */
    async function askRate(): Promise<number | undefined> {
      const id = newId();
      const grantBy = ({ handshake = {} }: ProbeAnswer) => grantOf(handshake, origin);
      const end = await run({
        ...{ method: 'OPTIONS', id, timestamp: second, body: '' },
        expected: `anything, or a grant to ${origin}: webhook-allowed-origin and webhook-allowed-rate`,
        isExpected: (answer) => grantBy(answer).ok,
      });
      return end && grantBy(end).perMinute;
    }

    const reports = (receipt: AttemptEnd['receipt']) => (end: AttemptEnd) => isAccepted(end) && end.receipt === receipt;
    const again = { ...post, timestamp: second + 1, expected: '2xx with webhook-receipt: duplicate' };
    const repeated = await run({ ...again, isExpected: reports('duplicate') });
    const dedupes = repeated !== undefined && accepted.receipt === 'new';
    if (probing.spec.receipt_url === null) return report({ level: dedupes ? 'L1' : 'L0', receipts: 'none' });

    const receipt = { method: 'GET', timestamp: second, body: '' } as const;
    const reads = [
      await run({ ...receipt, id: known, expected: '200', isExpected: ({ status }) => status === 200 }),
      await run({ ...receipt, id: unknown, expected: '404', isExpected: ({ status }) => status === 404 }),
    ].every((end) => end !== undefined);
    const refuse = { method: 'PUT', id: withdrawn, timestamp: second, body: `{"refuse_until":${second}}` } as const;
    const older = { ...probeEvent(withdrawn), timestamp: second - 1 };
    const isRefused = ({ status, receipt: answer }: AttemptEnd): boolean => status === 409 && answer === 'refused';
    const refuses = [
      await run({ ...refuse, expected: '200 with {"state":"refused"}', isExpected: promisesRefusal }),
      await run({ ...older, expected: '409 with webhook-receipt: refused', isExpected: isRefused }),
    ].every((end) => end !== undefined);
    const receipts = !reads ? 'none' : refuses ? 'tombstone' : 'read';
    return report({ level: !dedupes ? 'L0' : receipts === 'tombstone' ? 'L2' : 'L1', receipts });
  };
}

const isAccepted = ({ outcome }: AttemptEnd): boolean => outcome === 'confirmed';

function promisesRefusal({ status, answer }: AttemptEnd): boolean {
  return status === 200 && /^\s*\{\s*"state"\s*:\s*"refused"\s*\}\s*$/.test(answer ?? '');
}

const newId = (): string => `prb_${randomBytes(12).toString('hex')}`;

function probeEventOf(subscription: string, id: string, at: Date): string {
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

function describe({ status, receipt, error, handshake }: ProbeAnswer): string {
  if (status === undefined) return error ?? 'no answer';
  if (handshake !== undefined) return `${status}${describeHandshake(handshake)}`;
  return receipt === undefined ? String(status) : `${status} with webhook-receipt: ${receipt}`;
}
