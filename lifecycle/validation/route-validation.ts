import { type Candidate, PREFIXES, readCandidate } from '../../platform/kinds/candidate.js';
import { type Issue, notFound, SlipwayError } from '../../platform/kinds/errors.js';
import { createFindings, type Findings } from '../../platform/kinds/findings.js';
import { checkId } from '../../platform/kinds/id-rules.js';
import { CUSTOM_PREFIX, type RouteSpec, WantedRouteSpec } from '../kinds/route.js';
import { checkSticky } from './sticky-checks.js';
import type { ValidationResult } from './validation.js';

/** The deployments and addresses of the installation; a client that validates offline finds every deployment. */
export interface RouteContext {
  hasDeployment: (id: string) => Promise<boolean>;
  /** Id of another route that has this address. */
  findOwner: (urlPrefix: string, id: string) => Promise<string | undefined>;
}

const MOST_TARGETS = 20;
const LONGEST_PREFIX = 256;
/** Addresses of the platform. */
const FORBIDDEN = /^\/(model|feedback)(\/|$)/;
const PARTS = new RegExp(`^${CUSTOM_PREFIX}(/[A-Za-z0-9._~-]+)+$`);

export const readRoute = (body: unknown): Candidate<WantedRouteSpec> =>
  readCandidate('ModelRoute', WantedRouteSpec, body);

/** Validates a route (management API, 3.7). */
export async function validateRoute(
  candidate: Candidate<WantedRouteSpec>,
  context: RouteContext,
): Promise<ValidationResult<RouteSpec>> {
  const { id, spec } = candidate;
  const findings = createFindings(candidate);
  checkId(findings, 'ModelRoute', id);
  await checkPrefix(findings, candidate, context);
  await checkMirror(findings, spec, context);
  await checkTargets(findings, spec, context);
  checkSticky(findings, spec.sticky);
  const modelDeployments = spec.modelDeployments.map(({ mdName, weight = 100 }) => ({ mdName, weight }));
  return { issues: findings.all(), spec: { ...spec, modelDeployments } };
}

/** Reads and validates a body. @returns id and spec to store. @throws bad_json, validation_failed */
export async function acceptRoute(body: unknown, context: RouteContext): Promise<{ id: string; spec: RouteSpec }> {
  const candidate = readRoute(body);
  const { issues, spec } = await validateRoute(candidate, context);
  if (issues.length > 0) throw new SlipwayError('validation_failed', textOf(issues), { issues });
  return { id: candidate.id, spec };
}

/** Clients compare the whole text: only the issues of address and mirror are under the prefix of the kind. */
function textOf(issues: readonly Issue[]): string {
  const isPrefixed = ({ path }: Issue): boolean => path === 'spec.urlPrefix' || path === 'spec.mirror';
  const first = issues.findIndex(isPrefixed);
  return issues.map(({ message }, at) => (at === first ? `${PREFIXES.ModelRoute}: ${message}` : message)).join('; ');
}

async function checkPrefix(findings: Findings, { id, spec }: Candidate<WantedRouteSpec>, context: RouteContext) {
  const path = 'spec.urlPrefix';
  const { urlPrefix } = spec;
  if (findings.misfit(path)) return;
  const problem = prefixProblem(urlPrefix);
  if (problem !== undefined) return findings.add(path, urlPrefix === '' ? 'required' : 'invalid', problem);
  const owner = await context.findOwner(urlPrefix, id);
  if (owner !== undefined) findings.add(path, 'in_use', `the URL prefix ${urlPrefix} is that of route "${owner}"`);
}

function prefixProblem(urlPrefix: string): string | undefined {
  if (urlPrefix === '') return 'empty URL Prefix';
  if (!urlPrefix.startsWith('/')) return 'the URL prefix must start with slash';
  if (FORBIDDEN.test(urlPrefix)) return `the URL prefix ${urlPrefix} is forbidden`;
  if (!urlPrefix.startsWith(CUSTOM_PREFIX)) return `custom URL prefix must start with ${CUSTOM_PREFIX}`;
  if (urlPrefix.length > LONGEST_PREFIX) return `the URL prefix must not be longer than ${LONGEST_PREFIX} characters`;
  const isPlain = PARTS.test(urlPrefix) && !urlPrefix.split('/').some((part) => part === '.' || part === '..');
  if (isPlain) return undefined;
  return `the URL prefix ${urlPrefix} is not valid: write ${CUSTOM_PREFIX}/<name>, with letters, digits and . _ ~ - in each part, and no slash at the end`;
}

async function checkMirror(findings: Findings, { mirror }: WantedRouteSpec, { hasDeployment }: RouteContext) {
  if (findings.misfit('spec.mirror') || mirror === undefined) return;
  if (!(await hasDeployment(mirror))) findings.add('spec.mirror', 'not_found', notFound(mirror).message);
}

async function checkTargets(findings: Findings, { modelDeployments }: WantedRouteSpec, context: RouteContext) {
  const path = 'spec.modelDeployments';
  if (findings.misfit(path)) return;
  if (modelDeployments.length === 0) {
    return findings.add(path, 'required', 'model deployment targets must contain at least one element');
  }
  if (modelDeployments.length > MOST_TARGETS) {
    return findings.add(path, 'too_long', `there may be ${MOST_TARGETS} model deployment targets at most`);
  }
  await checkReferences(findings, modelDeployments, context);
  checkWeights(findings, modelDeployments);
}

type Targets = WantedRouteSpec['modelDeployments'];

async function checkReferences(findings: Findings, targets: Targets, { hasDeployment }: RouteContext): Promise<void> {
  for (const [at, { mdName }] of targets.entries()) {
    const path = `spec.modelDeployments.${at}.mdName`;
    if (findings.misfit(path)) continue;
    if (targets.findIndex((each) => each.mdName === mdName) < at) {
      findings.add(path, 'duplicate', `duplicate model deployment target "${mdName}"`);
    } else if (!(await hasDeployment(mdName))) findings.add(path, 'not_found', notFound(mdName).message);
  }
}

function checkWeights(findings: Findings, targets: Targets): void {
  const path = 'spec.modelDeployments';
  if (targets.map((_, at) => findings.misfit(`${path}.${at}.weight`)).some(Boolean)) return;
  const weights = targets.map(({ weight }) => weight);
  if (weights.length === 1) {
    if (weights[0] === undefined || weights[0] === 100) return;
    return findings.add(path, 'invalid', 'it must have 100 weight or nil value if there is only one target');
  }
  if (weights.includes(undefined)) {
    return findings.add(
      path,
      'required',
      'weights must be present if there are more than one model deployment targets',
    );
  }
  const negative = weights.find((weight = 0) => weight < 0);
  if (negative !== undefined) return findings.add(path, 'invalid', `weight ${negative} must not be less than 0`);
  const total = weights.reduce<number>((sum, weight = 0) => sum + weight, 0);
  if (total !== 100) findings.add(path, 'invalid', 'total target weight does not equal 100');
}
