import { badBase64Byte } from '../../platform/kinds/base64.js';
import { type Candidate, readCandidate } from '../../platform/kinds/candidate.js';
import { ConnectionSpec } from '../kinds/connection.js';
import { cloudRegistry } from '../kinds/cloud-registry.js';
import { checkConnectionType } from './connection-checks.js';
import { createFindings, type Findings } from '../../platform/kinds/findings.js';
import { hasPassword } from '../kinds/git-uri.js';
import { checkId } from '../../platform/kinds/id-rules.js';
import { keepSecrets } from '../kinds/connection-secrets.js';
import { toValidationResult, type ValidationContext, type ValidationResult } from './validation.js';

// prettier-ignore
const BASE64_FIELDS = [
  { field: 'password',  name: 'password' },
  { field: 'keySecret', name: 'key secret' },
  { field: 'keyID',     name: 'key id' },
  { field: 'publicKey', name: 'public key' },
] as const;

export const readConnection = (body: unknown): Candidate<ConnectionSpec> =>
  readCandidate('Connection', ConnectionSpec, body);

/**
 * Validates a connection (management API, 3.1).
 * @param stored what an update replaces: a secret that comes masked keeps its stored value
 */
export async function validateConnection(
  candidate: Candidate<ConnectionSpec>,
  { rules }: ValidationContext,
  stored?: ConnectionSpec,
): Promise<ValidationResult<ConnectionSpec>> {
  const findings = createFindings(candidate);
  const { spec, kept, issues } = stored
    ? keepSecrets(candidate.spec, stored)
    : { spec: candidate.spec, kept: [], issues: [] };
  checkId(findings, 'Connection', candidate.id);
  checkBase64(findings, spec, { kept, issues });
  checkUri(findings, spec);
  checkConnectionType({ findings, spec, rules });
  return { issues: findings.all(), spec: withRegion(spec) };
}

/** Reads and validates a body. @returns id and spec to store. @throws bad_json, validation_failed */
export async function acceptConnection(body: unknown, context: ValidationContext, { replaces = false } = {}) {
  const candidate = readConnection(body);
  const stored = replaces ? await context.lookups.connection(candidate.id) : undefined;
  return toValidationResult('Connection', candidate, await validateConnection(candidate, context, stored?.spec));
}

function checkBase64(
  findings: Findings,
  spec: ConnectionSpec,
  { kept, issues }: Pick<ReturnType<typeof keepSecrets>, 'kept' | 'issues'>,
): void {
  for (const { field, name } of BASE64_FIELDS) {
    const path = `spec.${field}`;
    const again = issues.find((issue) => issue.path === path);
    if (again) findings.add(again.path, again.code, again.message);
    if (findings.misfit(path) || again || (kept as readonly string[]).includes(field)) continue;
    const bad = badBase64Byte(spec[field] ?? '');
    if (bad === undefined) continue;
    const message = `${name} must be base64-encoded, error: illegal base64 data at input byte ${bad}`;
    findings.add(path, 'invalid_base64', message);
  }
}

function checkUri(findings: Findings, { uri }: ConnectionSpec): void {
  if (findings.misfit('spec.uri')) return;
  if (uri === '') findings.add('spec.uri', 'required', 'empty uri');
  if (hasPassword(uri)) findings.add('spec.uri', 'secret_in_uri', 'uri must not contain a password');
}

function withRegion(spec: ConnectionSpec): ConnectionSpec {
  const found = spec.type === 'ecr' || spec.type === 'cloud-registry' ? cloudRegistry(spec.uri) : undefined;
  return spec.region || found?.cloud !== 'amazon' ? spec : { ...spec, region: found.region };
}
