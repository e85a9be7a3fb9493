import type { Findings } from '../../platform/kinds/findings.js';
import { HELD_OUT_METRICS } from '../kinds/held-out.js';
import { isObjectStore } from '../kinds/object-location.js';
import { asksForApproval } from '../kinds/approvals.js';
import { hasDeployment, hasPackaging, type PipelineSpec } from '../kinds/pipeline.js';
import { missing } from './placement-checks.js';
import type { ValidationContext } from './validation.js';

interface Limits {
  min?: number | undefined;
  max?: number | undefined;
}

/** Validates the gates of a pipeline: each names a number and a bound, and there is something for it to guard. */
export async function checkGates(
  findings: Findings,
  spec: PipelineSpec,
  { lookups }: ValidationContext,
): Promise<void> {
  const { metrics, serving, heldOut, approval } = spec.gates;
  for (const [at, gate] of metrics.entries()) {
    const path = `spec.gates.metrics.${at}`;
    if (findings.misfit(path)) continue;
    if (gate.metric === '') findings.add(`${path}.metric`, 'required', `gate ${at} on metrics names no metric`);
    checkLimits(findings, path, gate);
  }
  for (const [at, { metric, goal, margin }] of serving.entries()) {
    const path = `spec.gates.serving.${at}`;
    if (findings.misfit(path)) continue;
    if (metric === '') findings.add(`${path}.metric`, 'required', `gate ${at} on the serving model names no metric`);
    if (goal !== 'minimize' && goal !== 'maximize') {
      findings.add(`${path}.goal`, 'not_supported', `goal is minimize or maximize, not "${goal}"`);
    }
    if (margin < 0) findings.add(`${path}.margin`, 'invalid', 'margin must not be less than 0');
  }
  if (serving.length > 0 && !hasDeployment(spec)) {
    findings.add('spec.gates.serving', 'required', 'without a deployment there is no serving model to be better than');
  }
  if (!approval.required && approval.roles.length > 0) {
    const message = 'required is false although roles are named: leave approval out if no person has to approve';
    findings.add('spec.gates.approval.required', 'invalid', `spec.gates.approval.${message}`);
  }
  if (asksForApproval(approval) && !hasDeployment(spec)) {
    findings.add('spec.gates.approval', 'required', 'without a deployment there is nothing to approve');
  }
  if (approval.roles.includes('')) {
    findings.add('spec.gates.approval.roles', 'invalid', 'roles holds an empty name');
  }
  if (approval.timeoutSeconds < 1) {
    findings.add('spec.gates.approval.timeoutSeconds', 'invalid', 'timeoutSeconds must be at least 1');
  }
  if (!findings.misfit('spec.gates.heldOut')) await checkHeldOut(findings, spec, heldOut, lookups);
}

async function checkHeldOut(
  findings: Findings,
  spec: PipelineSpec,
  { connection, path, metric, ...limits }: PipelineSpec['gates']['heldOut'],
  lookups: ValidationContext['lookups'],
): Promise<void> {
  const at = 'spec.gates.heldOut';
  const isAbsent = connection === undefined && path === undefined && metric === '';
  if (isAbsent && limits.min === undefined && limits.max === undefined) return;
  if (!hasPackaging(spec)) findings.add(at, 'required', 'a held-out check needs the image of a packaging');
  if (connection === undefined) {
    findings.add(`${at}.connection`, 'required', 'the held-out check names no connection');
  } else {
    const found = await lookups.connection(connection);
    if (found === undefined) findings.add(`${at}.connection`, 'not_found', missing(connection));
    else if (!isObjectStore(found.spec.type)) {
      findings.add(`${at}.connection`, 'wrong_connection_type', `${connection} is no connection of an object store`);
    }
  }
  if (path === undefined) findings.add(`${at}.path`, 'required', 'the held-out check names no file of samples');
  if (!(HELD_OUT_METRICS as readonly string[]).includes(metric)) {
    findings.add(`${at}.metric`, 'not_supported', `metric is one of ${HELD_OUT_METRICS.join(', ')}, not "${metric}"`);
  }
  checkLimits(findings, at, limits);
}

function checkLimits(findings: Findings, path: string, { min, max }: Limits): void {
  if ([`${path}.min`, `${path}.max`].some((limit) => findings.misfit(limit))) return;
  if (min === undefined && max === undefined) findings.add(path, 'required', `${path} has neither min nor max`);
  if (min !== undefined && max !== undefined && min > max) {
    findings.add(path, 'invalid', `${path} can never be reached: min is above max`);
  }
}
