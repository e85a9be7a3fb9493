import { type Candidate, readCandidate } from '../../platform/kinds/candidate.js';
import { SlipwayError, type Issue } from '../../platform/kinds/errors.js';
import { createFindings, type Findings } from '../../platform/kinds/findings.js';
import { checkId } from '../../platform/kinds/id-rules.js';
import { InferenceServiceSpec } from '../kinds/inference-service.js';
import { checkImage } from './image-checks.js';
import { checkNodeSelector } from './placement-checks.js';
import { checkCeilings, checkQuantities, checkRequests } from './resource-checks.js';
import { checkStoredFolder } from './stored-folder-checks.js';
import { cachedLookups, type ValidationContext, type ValidationResult } from './validation.js';

/** The id of a job has ten characters more, and is at most 63 long. */
const LONGEST_ID = 53;

export const readInferenceService = (body: unknown): Candidate<InferenceServiceSpec> =>
  readCandidate('InferenceService', InferenceServiceSpec, body);

/** Validates an inference service (management API, 3.8). */
export async function validateInferenceService(
  candidate: Candidate<InferenceServiceSpec>,
  context: ValidationContext,
): Promise<ValidationResult<InferenceServiceSpec>> {
  const { id, spec } = candidate;
  const { rules } = context;
  const findings = createFindings(candidate);
  checkId(findings, 'InferenceService', id);
  if (id.length > LONGEST_ID) findings.add('id', 'too_long', `ID length must be less or equal to ${LONGEST_ID}`);
  requireText(findings, 'image', spec.image);
  requireText(findings, 'command', spec.command[0]);
  checkRegistry(findings, spec.modelRegistry);
  const { modelConnection, modelPath } = spec.modelRegistry.remote;
  const folders = { connection: modelConnection, path: modelPath };
  await checkStoredFolder(findings, 'modelRegistry.remote', folders, context);
  await checkStoredFolder(findings, 'dataSource', spec.dataSource, context);
  await checkStoredFolder(findings, 'outputDestination', spec.outputDestination, context);
  checkImage(findings, 'spec.image', spec.image, rules);
  checkQuantities(findings, spec.resources);
  checkNodeSelector(findings, spec.nodeSelector, rules.nodePools);
  checkRequests(findings, spec.resources);
  checkCeilings(findings, spec.resources, rules);
  return { issues: findings.all(), spec };
}

/** Reads and validates a body. @returns id and spec to store. @throws bad_json, validation_failed */
export async function acceptInferenceService(body: unknown, { lookups, rules }: ValidationContext) {
  const candidate = readInferenceService(body);
  const { id } = candidate;
  const { issues, spec } = await validateInferenceService(candidate, { lookups: cachedLookups(lookups), rules });
  if (issues.length > 0) throw invalidBatch(id, issues);
  return { id, spec };
}

/** The list of faults of a batch service or job, in the form of their own that clients compare as a whole. */
export function invalidBatch(id: string, issues: readonly Issue[]): SlipwayError {
  const message = `entity "${id}" is invalid; errors: ${issues.map((issue) => issue.message).join(', ')}`;
  return new SlipwayError('validation_failed', message, { issues });
}

function requireText(findings: Findings, field: string, value: string | undefined): void {
  const path = `spec.${field}`;
  if (!findings.misfit(path) && !value) findings.add(path, 'required', `${field} must be non-empty`);
}

function checkRegistry(findings: Findings, { remote, local }: InferenceServiceSpec['modelRegistry']): void {
  const path = 'spec.modelRegistry';
  if (findings.misfit(path)) return;
  const isRemote = remote.modelConnection !== undefined || remote.modelPath !== undefined;
  const { name, version } = local.meta;
  const isLocal = name !== '' || version !== '' || local.modelPath !== undefined;
  if (isRemote && isLocal) {
    const message = 'both modelRegistry.remote and modelRegistry.local are specified, must be only one';
    findings.add(path, 'ambiguous', message);
  } else if (isRemote) {
    requireText(findings, 'modelRegistry.remote.modelConnection', remote.modelConnection);
  } else if (isLocal) {
    requireText(findings, 'modelRegistry.local.meta.name', name);
    requireText(findings, 'modelRegistry.local.meta.version', version);
  } else if (!findings.misfit(`${path}.remote`) && !findings.misfit(`${path}.local`)) {
    findings.add(path, 'required', NO_REGISTRY);
  }
}

const NO_REGISTRY =
  'whether modelRegistry.local.meta.name or modelRegistry.local.meta.version must be defined for embedded models, ' +
  'whether modelRegistry.local or modelRegistry.remote must be defined';
