import { type Candidate, readCandidate } from '../../platform/kinds/candidate.js';
import { isConnectionType } from './connection-checks.js';
import { createFindings, type Findings } from '../../platform/kinds/findings.js';
import { checkId } from '../../platform/kinds/id-rules.js';
import { argumentsSchemaProblem } from '../kinds/packaging-arguments.js';
import { PackagingIntegrationSpec } from '../kinds/packaging-integration.js';
import { checkImage } from './image-checks.js';
import { checkProgram } from './program-checks.js';
import { toValidationResult, type ValidationContext, type ValidationResult } from './validation.js';

export const readPackagingIntegration = (body: unknown): Candidate<PackagingIntegrationSpec> =>
  readCandidate('PackagingIntegration', PackagingIntegrationSpec, body);

/** Validates a packaging integration (management API, 3.5). */
export async function validatePackagingIntegration(
  candidate: Candidate<PackagingIntegrationSpec>,
  { rules }: Pick<ValidationContext, 'rules'>,
): Promise<ValidationResult<PackagingIntegrationSpec>> {
  const { id, spec } = candidate;
  const findings = createFindings(candidate);
  checkId(findings, 'PackagingIntegration', id);
  checkProgram(findings, spec);
  checkImage(findings, 'spec.defaultImage', spec.defaultImage, rules);
  findings.misfit('spec.schema.targets');
  spec.schema.targets.forEach((target, at) => checkTarget(findings, target, `spec.schema.targets.${at}`));
  const problem = argumentsSchemaProblem(spec.schema.arguments);
  const message = problem && `arguments have not valid json schema: ${problem}`;
  if (!findings.misfit('spec.schema.arguments')) findings.addIf('spec.schema.arguments', 'invalid_schema', message);
  return { issues: findings.all(), spec };
}

/** Reads and validates a body. @returns id and spec to store. @throws bad_json, validation_failed */
export async function acceptPackagingIntegration(body: unknown, context: Pick<ValidationContext, 'rules'>) {
  const candidate = readPackagingIntegration(body);
  return toValidationResult('PackagingIntegration', candidate, await validatePackagingIntegration(candidate, context));
}

function checkTarget(
  findings: Findings,
  { name, connectionTypes }: PackagingIntegrationSpec['schema']['targets'][number],
  path: string,
): void {
  if (!findings.misfit(`${path}.name`) && name === '') {
    findings.add(`${path}.name`, 'required', 'one of target has empty name');
  }
  if (findings.misfit(`${path}.connectionTypes`)) return;
  if (connectionTypes.length === 0) {
    findings.add(`${path}.connectionTypes`, 'required', `${name} target must have at least one connection type`);
  }
  for (const [at, type] of connectionTypes.entries()) {
    if (findings.misfit(`${path}.connectionTypes.${at}`) || isConnectionType(type)) continue;
    findings.add(
      `${path}.connectionTypes.${at}`,
      'not_supported',
      `${name} target have unknown connection type: ${type}`,
    );
  }
}
