import { canonical } from '../kinds/aliases.js';
import { type Candidate, readCandidate } from '../../platform/kinds/candidate.js';
import { DeploymentSpec, MOST_ROLES } from '../kinds/deployment.js';
import { LONGEST_RETENTION_DAYS, type RecordRules } from '../kinds/record-rules.js';
import { MOST_PATHS, MOST_SELECTORS, redactionProblem, selectorsIn } from '../kinds/redaction.js';
import type { Issue } from '../../platform/kinds/errors.js';
import { createFindings, type Findings } from '../../platform/kinds/findings.js';
import { checkId } from '../../platform/kinds/id-rules.js';
import { labelProblem } from '../../platform/kinds/label.js';
import { isAbsent, isRecord } from '../../platform/kinds/lenient.js';
import { checkImage } from './image-checks.js';
import { checkNodeSelector, checkPullConnection } from './placement-checks.js';
import { checkRollout } from './rollout-checks.js';
import { checkCeilings, checkQuantities, checkRequests } from './resource-checks.js';
import { toValidationResult, type ValidationContext, type Rules, type ValidationResult } from './validation.js';

const PREDICTORS: readonly string[] = ['platform-ml-server', 'tensor-server'];

/** Reads a deployment: the pull connection has two names, and the default of `maxReplicas` follows `minReplicas`. */
export function readDeployment(body: unknown): Candidate<DeploymentSpec> {
  if (!isRecord(body) || !isRecord(body.spec)) return readCandidate('ModelDeployment', DeploymentSpec, body);
  const { imagePullConnectionID: alias, ...given } = body.spec;
  const { imagePullConnID: own, maxReplicas } = given;
  const imagePullConnID = isAbsent(own) ? alias : own;
  const merged = { ...body, spec: { ...given, imagePullConnID } };
  const { id, spec, misfits } = readCandidate('ModelDeployment', DeploymentSpec, merged);
  const differ = !isAbsent(own) && !isAbsent(alias) && own !== alias;
  return {
    id,
    spec: isAbsent(maxReplicas) ? { ...spec, maxReplicas: Math.max(spec.maxReplicas, spec.minReplicas) } : spec,
    misfits: differ ? [...misfits, TWO_PULL_CONNECTIONS] : misfits,
  };
}

const TWO_PULL_CONNECTIONS: Issue = {
  path: 'spec.imagePullConnID',
  code: 'ambiguous',
  message: 'imagePullConnID and imagePullConnectionID have different values, send one of them',
};

/** Validates a deployment, in the order of its own (management API, 3.6), and fills in what the installation defaults. */
export async function validateDeployment(
  candidate: Candidate<DeploymentSpec>,
  { rules, lookups }: ValidationContext,
): Promise<ValidationResult<DeploymentSpec>> {
  const { id, spec } = candidate;
  const findings = createFindings(candidate);
  checkNodeSelector(findings, spec.nodeSelector, rules.nodePools);
  checkProbes(findings, spec);
  checkReplicas(findings, spec, rules);
  checkDeploymentId(findings, id, rules);
  checkServer(findings, spec);
  await checkPullConnection(findings, spec.imagePullConnID, { lookups });
  checkRoles(findings, spec);
  checkImagePolicy(findings, spec, rules);
  checkProtection(findings, spec);
  checkImage(findings, 'spec.image', spec.image, rules);
  checkRecords(findings, spec.records);
  checkRollout(findings, spec.rollout);
  checkQuantities(findings, spec.resources);
  checkRequests(findings, spec.resources);
  checkCeilings(findings, spec.resources, rules);
  return { issues: findings.all(), spec: withDefaults(id, spec, rules) };
}

/** Reads and validates a body. @returns id and spec to store. @throws bad_json, validation_failed */
export async function acceptDeployment(body: unknown, context: ValidationContext) {
  const candidate = readDeployment(body);
  return toValidationResult('ModelDeployment', candidate, await validateDeployment(candidate, context));
}

function checkProbes(findings: Findings, spec: DeploymentSpec): void {
  for (const field of ['livenessProbeInitialDelay', 'readinessProbeInitialDelay'] as const) {
    if (findings.misfit(`spec.${field}`) || spec[field] >= 0) continue;
    findings.add(`spec.${field}`, 'invalid', `${field} must be non-negative integer`);
  }
}

function checkReplicas(
  findings: Findings,
  { minReplicas, maxReplicas }: DeploymentSpec,
  { ceilings }: Pick<Rules, 'ceilings'>,
): void {
  const misfits = ['spec.maxReplicas', 'spec.minReplicas'].map((path) => findings.misfit(path));
  const most = 'maximum number of replicas parameter must not be less than';
  if (misfits.includes(true)) return;
  if (maxReplicas < minReplicas) {
    findings.add('spec.maxReplicas', 'invalid', `${most} minimum number of replicas parameter`);
  }
  if (maxReplicas < 1) findings.add('spec.maxReplicas', 'invalid', `${most} 1`);
  if (minReplicas < 0) {
    findings.add('spec.minReplicas', 'invalid', 'minimum number of replicas parameter must not be less than 0');
  }
  const replicas = ceilings?.replicas ?? Infinity;
  if (minReplicas > replicas) {
    const message = `minimum number of replicas parameter must not be more than ${replicas}, the most of this installation`;
    findings.add('spec.minReplicas', 'above_limit', message);
  }
}

function checkDeploymentId(findings: Findings, id: string, { maxDeploymentIdLength: longest }: Rules): void {
  if (id.length <= longest) return checkId(findings, 'ModelDeployment', id);
  findings.add('id', 'too_long', `model deployment ID should not exceed ${longest} symbols`);
}

function checkServer(findings: Findings, { image, predictor }: DeploymentSpec): void {
  if (!findings.misfit('spec.image') && image === '') findings.add('spec.image', 'required', 'empty image parameter');
  if (!findings.misfit('spec.predictor')) {
    if (predictor === '') findings.add('spec.predictor', 'required', 'empty predictor parameter');
    else if (!PREDICTORS.includes(canonical('predictor', predictor))) {
      findings.add('spec.predictor', 'not_supported', `unknown predictor: ${predictor}`);
    }
  }
}

function checkRoles(findings: Findings, { roleName, roles = [] }: DeploymentSpec): void {
  if (!findings.misfit('spec.roleName')) findings.addIf('spec.roleName', 'invalid_label', labelProblem(roleName));
  if (findings.misfit('spec.roles')) return;
  if (roles.length > MOST_ROLES) {
    findings.add('spec.roles', 'above_limit', `roles has ${roles.length} entries: at most ${MOST_ROLES}`);
  }
  if (roles.includes('')) findings.add('spec.roles', 'invalid', 'roles has an empty entry: leave it out');
  for (const role of roles) findings.addIf('spec.roles', 'invalid_label', labelProblem(role));
}

function checkImagePolicy(findings: Findings, { imagePolicy: own }: DeploymentSpec, { imagePolicy }: Rules): void {
  if (findings.misfit('spec.imagePolicy') || own === undefined || imagePolicy !== 'signed' || own === 'signed') return;
  const message = `imagePolicy must be signed or left out: this installation runs signed images only`;
  findings.add('spec.imagePolicy', 'not_allowed', message);
}

function checkRecords(findings: Findings, { redact, retentionDays }: RecordRules): void {
  const [rules, days] = ['spec.records.redact', 'spec.records.retentionDays'];
  if (!findings.misfit(rules)) {
    const problems = redact.map((path) => [path, redactionProblem(path)] as const);
    for (const [path, problem] of problems) {
      if (problem !== undefined) findings.add(rules, 'invalid', `records.redact: "${path.slice(0, 200)}" ${problem}`);
    }
    const isPlain = problems.every(([, problem]) => problem === undefined);
    if (redact.length > MOST_PATHS || (isPlain && selectorsIn(redact) > MOST_SELECTORS)) {
      const message = `records.redact has too many paths: at most ${MOST_PATHS} with ${MOST_SELECTORS} parts together`;
      findings.add(rules, 'above_limit', message);
    }
  }
  if (findings.misfit(days) || (retentionDays >= 0 && retentionDays <= LONGEST_RETENTION_DAYS)) return;
  findings.add(
    days,
    'invalid',
    `records.retentionDays must be from 0 to ${LONGEST_RETENTION_DAYS}, not ${retentionDays}`,
  );
}

function checkProtection(findings: Findings, { protected: isProtected, pipeline }: DeploymentSpec): void {
  if (isProtected || pipeline === undefined || findings.misfit('spec.protected')) return;
  const message = `pipeline "${pipeline}" is for a protected deployment: set protected to true, or leave pipeline out`;
  findings.add('spec.pipeline', 'invalid', message);
}

function withDefaults(id: string, spec: DeploymentSpec, rules: Rules): DeploymentSpec {
  const imagePullConnID = spec.imagePullConnID ?? rules.pullConnection;
  return {
    ...spec,
    roleName: spec.roleName || `role-${id}`,
    ...(imagePullConnID === undefined ? {} : { imagePullConnID }),
  };
}
