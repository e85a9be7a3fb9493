import { type Candidate, readCandidate } from '../../platform/kinds/candidate.js';
import { createFindings, type Findings } from '../../platform/kinds/findings.js';
import { checkId } from '../../platform/kinds/id-rules.js';
import { imageNameProblem } from '../kinds/image-name.js';
import { argumentProblems, withDefaultArguments } from '../kinds/packaging-arguments.js';
import type { PackagingIntegration } from '../kinds/packaging-integration.js';
import { checkTargets, findPushUri } from './packaging-targets.js';
import { PackagingSpec } from '../kinds/packaging.js';
import { checkNodeSelector, checkOutputConnection } from './placement-checks.js';
import { checkCeilings, checkQuantities, checkRequests } from './resource-checks.js';
import { toValidationResult, type ValidationContext, cachedLookups, type ValidationResult } from './validation.js';
import { checkImage } from './image-checks.js';
import { findPackagingIntegration } from './find-integration.js';

export const readPackaging = (body: unknown): Candidate<PackagingSpec> =>
  readCandidate('ModelPackaging', PackagingSpec, body);

/** Validates a packaging (management API, 3.4) and fills in what the installation and the integration default. */
export async function validatePackaging(
  candidate: Candidate<PackagingSpec>,
  context: ValidationContext,
): Promise<ValidationResult<PackagingSpec>> {
  const { id, spec } = candidate;
  const { rules } = context;
  const findings = createFindings(candidate);
  checkId(findings, 'ModelPackaging', id);
  if (!findings.misfit('spec.artifactName') && spec.artifactName === '') {
    findings.add('spec.artifactName', 'required', 'empty artifactName');
  }
  checkQuantities(findings, spec.resources);
  const outputConnection = await checkOutputConnection(findings, spec.outputConnection, context);
  checkNodeSelector(findings, spec.nodeSelector, rules.nodePools);
  checkRequests(findings, spec.resources);
  checkCeilings(findings, spec.resources, rules);
  const completed = await checkIntegration(findings, spec, context);
  return { issues: findings.all(), spec: { ...completed, outputConnection } };
}

/** Reads and validates a body. @returns id and spec to store. @throws bad_json, validation_failed */
export async function acceptPackaging(body: unknown, { lookups, rules }: ValidationContext) {
  const candidate = readPackaging(body);
  const context = { lookups: cachedLookups(lookups), rules };
  return toValidationResult('ModelPackaging', candidate, await validatePackaging(candidate, context));
}

/** @returns the spec with the image and the targets that the integration defaults */
async function checkIntegration(
  findings: Findings,
  spec: PackagingSpec,
  { lookups, rules }: ValidationContext,
): Promise<PackagingSpec> {
  const path = 'spec.integrationName';
  const { integrationName } = spec;
  if (findings.misfit(path)) return spec;
  if (integrationName === '') findings.add(path, 'required', 'empty integrationName');
  if (integrationName === '') return spec;
  const integration = await findPackagingIntegration(lookups, integrationName);
  if (integration === undefined) {
    const message = `packaging integration with name .spec.integrationName = "${integrationName}" is not found`;
    findings.add(path, 'not_found', message);
    return spec;
  }
  const pushUri = await findPushUri(spec.targets, { integration, lookups });
  checkArguments(findings, { given: spec.arguments, integration, pushUri });
  const { dockerfileBaseImage } = withDefaultArguments(integration.spec.schema.arguments, spec.arguments);
  checkImage(findings, 'spec.arguments', dockerfileBaseImage, rules);
  checkImage(findings, 'spec.image', spec.image, rules);
  const targets = await checkTargets(findings, spec.targets, { integration, lookups });
  return { ...spec, image: spec.image ?? integration.spec.defaultImage, targets };
}

/** The schema first; only a text that passes it can be an image name that does not. */
function checkArguments(
  findings: Findings,
  {
    given,
    integration,
    pushUri,
  }: { given: PackagingSpec['arguments']; integration: PackagingIntegration; pushUri: string | undefined },
): void {
  const path = 'spec.arguments';
  if (findings.misfit(path)) return;
  const problems = argumentProblems(integration.spec.schema.arguments, given);
  const { imageName } = given;
  const nameProblem = typeof imageName === 'string' ? imageNameProblem(imageName, pushUri) : undefined;
  if (problems.length === 0 && nameProblem !== undefined) problems.push(`imageName: ${nameProblem}`);
  if (problems.length > 0) findings.add(path, 'invalid', `argument validation is failed: [${problems.join(' ')}]`);
}
