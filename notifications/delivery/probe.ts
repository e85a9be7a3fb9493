import { createHash } from 'node:crypto';
import type { Attempt } from '../kinds/attempt.js';
import type { ProbeReport, ProbeStep } from '../kinds/probe.js';
import type { Subscription, SubscriptionSpec, SubscriptionStatus } from '../kinds/subscription.js';
import { RESEND_WINDOW_MS } from './delivery.js';
import type { SigningKey } from './signing-keys.js';

/** The receiver to probe, and the keys to sign with. */
export interface ProbeRequest {
  id: string;
  spec: Pick<SubscriptionSpec, 'url' | 'receipt_url' | 'headers' | 'rate'>;
  keys: readonly SigningKey[];
}
/** Probes the abilities of a receiver; takes some seconds and never fails. */
export type Probe = (request: ProbeRequest) => Promise<ProbeReport>;

const WEEK_MS = 7 * 86_400_000;
const JITTER_MS = 12 * 3_600_000;
/** Interval for a receiver that has never answered: it starts without an operator once it is up. */
const AGAIN_MS = 10 * 60_000;

/** Applies a probe to the status of a subscription: the first 2xx activates it, only an answer changes its level. */
export function afterProbe(status: SubscriptionStatus, report: ProbeReport): SubscriptionStatus {
  const isNew = status.state === 'unverified';
  if (!report.answered) return { ...status, probe: report, ...(isNew && { reason: probeFailureReason(report) }) };
  const { at, level, receipts, allowed_per_minute: per_minute } = report;
  const { allowed_rate: _before, ...rest } = status;
  const granted = per_minute === undefined ? {} : { allowed_rate: { per_minute } };
  const proven = { ...rest, ...granted, probe: report, level, receipts, checked_at: at };
  return isNew ? { ...proven, state: 'active', reason: null } : proven;
}

/** @returns the last step of a probe that was not answered, as text */
export function probeFailureReason({ steps }: ProbeReport): string {
  const step = steps.at(-1);
  return step === undefined ? 'there is nothing to probe' : `${step.sent}: ${step.received}`;
}

/** Checks whether a probe is due. */
export const isProbeDue = (subscription: Subscription, now: Date): boolean =>
  now.getTime() >= nextProbeAt(subscription);

/**
 * Returns when the next probe is due: weekly with a jitter per subscription, and soon after one that was not answered.
 * Milliseconds; `Infinity` without one.
 */
export function nextProbeAt({ id, spec, status }: Subscription): number {
  const { state, probe } = status;
  if (spec.mode === 'pull' || (state !== 'active' && state !== 'unverified')) return Infinity;
  if (probe === undefined) return -Infinity;
  const jitter = createHash('sha256').update(id).digest().readUInt32BE(0) / 2 ** 32;
  const pause = state === 'unverified' ? AGAIN_MS : WEEK_MS + JITTER_MS * jitter;
  return Date.parse(probe.at) + pause;
}

/**
 * Checks whether attempts contradict the proof that a receiver drops repeats: it reported one delivery as new twice, or
 * as new after it had been received. Attempts before the proof do not count: another receiver may have answered them.
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

/** Withdraws the level of a subscription whose receiver reported a repeat as new. */
export function afterContradiction(status: SubscriptionStatus, step: ProbeStep, at: string): SubscriptionStatus {
  const steps = [...(status.probe?.steps ?? []), step];
  const probe = { at, answered: true, level: 'L0', receipts: 'none', steps } as const;
  return { ...status, level: 'L0', receipts: 'none', checked_at: at, probe };
}
