import { createHash } from 'node:crypto';
import type { Attempt } from '../kinds/attempt.js';
import type { ProbeReport, ProbeStep } from '../kinds/probe.js';
import type { Subscription, SubscriptionSpec, SubscriptionStatus } from '../kinds/subscription.js';
import { RESEND_WINDOW_MS } from './delivery.js';
import type { SigningKey } from './signing-keys.js';

/** Whom to ask, and with which keys. */
export interface ProbeRequest {
  id: string;
  spec: Pick<SubscriptionSpec, 'url' | 'receipt_url' | 'headers' | 'rate'>;
  keys: readonly SigningKey[];
}
/** Finds out what a receiver does; takes some seconds, and never fails. */
export type Probe = (probing: ProbeRequest) => Promise<ProbeReport>;

const WEEK_MS = 7 * 86_400_000;
const JITTER_MS = 12 * 3_600_000;
/** A receiver that has never answered is asked this often, so that nobody has to say that it is up. */
const AGAIN_MS = 10 * 60_000;

/** The status of a subscription after a probe: the first 2xx starts it, and only an answer changes what is proven. */
export function afterProbe(status: SubscriptionStatus, report: ProbeReport): SubscriptionStatus {
  const isNew = status.state === 'unverified';
  if (!report.answered) return { ...status, probe: report, ...(isNew && { reason: probeFailureReason(report) }) };
  const { at, level, receipts, allowed_per_minute: per_minute } = report;
  const { allowed_rate: _before, ...rest } = status;
  const granted = per_minute === undefined ? {} : { allowed_rate: { per_minute } };
  const proven = { ...rest, ...granted, probe: report, level, receipts, checked_at: at };
  return isNew ? { ...proven, state: 'active', reason: null } : proven;
}

/** The last step of one that was not answered says it all. */
export function probeFailureReason({ steps }: ProbeReport): string {
  const step = steps.at(-1);
  return step === undefined ? 'there is nothing to probe' : `${step.sent}: ${step.received}`;
}

/** Whether it is time to look again: weekly, at a time of its own, and soon after one that was not answered. */
export function isProbeDue({ id, spec, status }: Subscription, now: Date): boolean {
  if (spec.mode === 'pull') return false;
  const { state, probe } = status;
  if (state !== 'active' && state !== 'unverified') return false;
  if (probe === undefined) return true;
  const jitter = createHash('sha256').update(id).digest().readUInt32BE(0) / 2 ** 32;
  const pause = state === 'unverified' ? AGAIN_MS : WEEK_MS + JITTER_MS * jitter;
  return now.getTime() - Date.parse(probe.at) >= pause;
}

/**
 * Whether attempts show that a receiver does not drop repeats: it said of one notice twice that it is new, or after it
 * had said that it has it. Only what came after the proof counts: before it there may have been another receiver.
 */
export function isContradicted(attempts: readonly Attempt[], provenAt: string): boolean {
  const since = attempts.filter(({ startedAt }) => startedAt > provenAt);
  const isKept = (one: Attempt, other: Attempt): boolean =>
    Date.parse(other.startedAt) - Date.parse(one.startedAt) < RESEND_WINDOW_MS;
  const isNew = ({ end, late }: Attempt): boolean => (late?.receipt ?? end?.receipt) === 'new';
  return since.some((each, index) => {
    const isKnown = isNew(each) || each.receipts.some(({ answer }) => answer === 'received');
    return isKnown && since.slice(index + 1).some((later) => isNew(later) && isKept(each, later));
  });
}

/** The status of a subscription whose receiver took a repeat for new. */
export function afterContradiction(status: SubscriptionStatus, step: ProbeStep, at: string): SubscriptionStatus {
  const steps = [...(status.probe?.steps ?? []), step];
  const probe = { at, answered: true, level: 'L0', receipts: 'none', steps } as const;
  return { ...status, level: 'L0', receipts: 'none', checked_at: at, probe };
}
