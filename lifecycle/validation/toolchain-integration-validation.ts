import { type Candidate, readCandidate } from '../../platform/kinds/candidate.js';
import { createFindings } from '../../platform/kinds/findings.js';
import { checkId } from '../../platform/kinds/id-rules.js';
import { checkImage } from './image-checks.js';
import { checkVariable } from './program-input-checks.js';
import { checkProgram } from './program-checks.js';
import { ToolchainIntegrationSpec } from '../kinds/toolchain-integration.js';
import { toValidationResult, type ValidationContext, type ValidationResult } from './validation.js';

export const readToolchainIntegration = (body: unknown): Candidate<ToolchainIntegrationSpec> =>
  readCandidate('ToolchainIntegration', ToolchainIntegrationSpec, body);

/** Validates a toolchain integration (management API, 3.3). */
export async function validateToolchainIntegration(
  candidate: Candidate<ToolchainIntegrationSpec>,
  { rules }: Pick<ValidationContext, 'rules'>,
): Promise<ValidationResult<ToolchainIntegrationSpec>> {
  const findings = createFindings(candidate);
  checkId(findings, 'ToolchainIntegration', candidate.id);
  checkProgram(findings, candidate.spec);
  checkImage(findings, 'spec.defaultImage', candidate.spec.defaultImage, rules);
  for (const name of Object.keys(candidate.spec.additionalEnvironments)) {
    checkVariable(findings, 'spec.additionalEnvironments', name);
  }
  return { issues: findings.all(), spec: candidate.spec };
}

/** Reads and validates a body. @returns id and spec to store. @throws bad_json, validation_failed */
export async function acceptToolchainIntegration(body: unknown, context: Pick<ValidationContext, 'rules'>) {
  const candidate = readToolchainIntegration(body);
  return toValidationResult('ToolchainIntegration', candidate, await validateToolchainIntegration(candidate, context));
}
