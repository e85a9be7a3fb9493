import { isDeepStrictEqual } from 'node:util';
import type { Findings } from '../../platform/kinds/findings.js';
import { DRIFT_MEASURES } from '../kinds/drift.js';
import { RUN_NOTIFICATIONS, PipelineSpec } from '../kinds/pipeline.js';
import { EVERYWHERE, readWebhookUrl, type WebhookPolicy } from '../../platform/kinds/webhook-url.js';
import type { Rules } from './validation.js';
import { scheduleProblem } from '../kinds/schedule.js';

const POINTER = /^(\/([^~]|~[01])*)+$/;
/** The name of an event of GitHub. */
const EVENT = /^[a-z_]{1,64}$/;
const MOST_ADDRESSES = 10;
const DAY = 86_400;
/** The server refuses more. */
const ANY: WebhookPolicy = { networks: EVERYWHERE, http: true, ports: 'any' };

/** Validates what starts runs of a pipeline. */
export function checkTriggers(findings: Findings, { triggers, training }: PipelineSpec): void {
  const { schedule, feedback, drift, data, webhook } = triggers;
  const at = 'spec.triggers';
  if (!findings.misfit(`${at}.schedule`) && schedule.cron !== undefined) {
    const { cron, timeZone } = schedule;
    findings.addIf(`${at}.schedule`, 'bad_schedule', scheduleProblem({ cron, timeZone }));
    inRange(findings, `${at}.schedule.jitterSeconds`, schedule.jitterSeconds, [0, DAY]);
    // The server makes up for nothing shorter.
    inRange(findings, `${at}.schedule.catchupSeconds`, schedule.catchupSeconds, [10, 30 * DAY]);
  }
  if (schedule.cron === undefined && !findings.misfit(`${at}.schedule.cron`) && !isUnset(schedule, 'schedule')) {
    findings.add(`${at}.schedule.cron`, 'required', 'the schedule has no cron, such as 0 6 * * MON');
  }
  if (!findings.misfit(`${at}.webhook`)) {
    for (const event of webhook.events ?? []) {
      if (EVENT.test(event)) continue;
      findings.add(`${at}.webhook.events`, 'invalid', `events holds names such as push, not "${event}"`);
    }
    if (webhook.branches?.includes('')) {
      findings.add(`${at}.webhook.branches`, 'invalid', 'branches holds names such as main, not ""');
    }
  }
  if (feedback.records < 0) findings.add(`${at}.feedback.records`, 'invalid', 'records must not be less than 0');
  if (!findings.misfit(`${at}.drift`) && !isUnset(drift, 'drift')) checkDrift(findings, drift);
  if (data && training.data.every((binding) => binding.feedback !== undefined)) {
    findings.add(`${at}.data`, 'required', 'the training has no data whose change could start a run');
  }
}

const UNSET = PipelineSpec.parse({}).triggers;

/** Whether a trigger has its defaults alone, as in the reply for a pipeline without it. */
const isUnset = (trigger: object, name: 'schedule' | 'drift'): boolean => isDeepStrictEqual(trigger, UNSET[name]);

function checkDrift(findings: Findings, drift: PipelineSpec['triggers']['drift']): void {
  const at = 'spec.triggers.drift';
  if (!findings.misfit(`${at}.measure`) && !(DRIFT_MEASURES as readonly string[]).includes(drift.measure ?? '')) {
    const known = DRIFT_MEASURES.join(' or ');
    findings.add(`${at}.measure`, 'not_supported', `measure is ${known}, not "${drift.measure ?? ''}"`);
  }
  for (const field of ['prediction', 'truth'] as const) {
    if (POINTER.test(drift[field])) continue;
    findings.add(`${at}.${field}`, 'invalid', `${field} must be a JSON pointer, such as /label, not "${drift[field]}"`);
  }
  if (drift.limit < 0) findings.add(`${at}.limit`, 'invalid', 'limit must not be less than 0');
  inRange(findings, `${at}.samples`, drift.samples, [1, 1_000_000]);
  inRange(findings, `${at}.windowSeconds`, drift.windowSeconds, [60, 31 * DAY]);
}

/** Validates whom a pipeline tells. */
export function checkNotify(
  findings: Findings,
  { notify }: PipelineSpec,
  { webhooks = ANY }: Pick<Rules, 'webhooks'>,
): void {
  if (notify.length > MOST_ADDRESSES) {
    findings.add('spec.notify', 'too_many', `notify has at most ${MOST_ADDRESSES} addresses`);
  }
  for (const [at, { url, on }] of notify.entries()) {
    const path = `spec.notify.${at}`;
    if (findings.misfit(path)) continue;
    const read = readWebhookUrl(url, webhooks);
    if (!(read instanceof URL))
      findings.add(`${path}.url`, 'invalid', `"${shown(url)}" is no address to notify: ${read.message}`);
    for (const word of on) {
      if ((RUN_NOTIFICATIONS as readonly string[]).includes(word)) continue;
      findings.add(`${path}.on`, 'not_supported', `on holds ${RUN_NOTIFICATIONS.join(', ')}, not "${word}"`);
    }
  }
}

function inRange(findings: Findings, path: string, value: number, [least, most]: readonly [number, number]): void {
  if (value >= least && value <= most) return;
  findings.add(path, 'invalid', `${path.split('.').at(-1)} must be between ${least} and ${most}`);
}

/** The start of a text that may be as long as a request. */
const shown = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}...` : text);
