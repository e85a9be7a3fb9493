import { type Candidate, readCandidate } from '../../platform/kinds/candidate.js';
import { readDeployment, validateDeployment } from './deployment-validation.js';
import type { Issue } from '../../platform/kinds/errors.js';
import { createFindings } from '../../platform/kinds/findings.js';
import { checkId } from '../../platform/kinds/id-rules.js';
import { readPackaging, validatePackaging } from './packaging-validation.js';
import { isRecord } from '../../platform/kinds/lenient.js';
import { checkGates } from './pipeline-gate-checks.js';
import { createRenderer, TemplateProblem } from '../kinds/pipeline-template.js';
import { checkNotify, checkTriggers } from './pipeline-trigger-checks.js';
import { hasDeployment, hasPackaging, PipelineSpec } from '../kinds/pipeline.js';
import { readTraining, validateTraining } from './training-validation.js';
import { UNKNOWN_FIELD } from '../../platform/kinds/unknown-fields.js';
import { toValidationResult, type ValidationContext, cachedLookups, type ValidationResult } from './validation.js';

/** `<id>-<number>` is the id of trainings and packagings: room for nine digits. */
const LONGEST_ID = 53;

/** Reads a pipeline; its deployment by the words and defaults of deployments. */
export function readPipeline(body: unknown): Candidate<PipelineSpec> {
  const { id, spec, misfits } = readCandidate('ModelPipeline', PipelineSpec, body);
  const at = 'spec.deployment.spec';
  const given = isRecord(body) && isRecord(body.spec) && isRecord(body.spec.deployment) && body.spec.deployment.spec;
  if (!isRecord(given)) return { id, spec, misfits };
  const deployment = readDeployment({ spec: given });
  const others = misfits.filter(({ path }) => !path.startsWith(`${at}.`));
  const theirs = deployment.misfits.map((issue) => within(at, issue));
  return {
    id,
    spec: { ...spec, deployment: { ...spec.deployment, spec: deployment.spec } },
    misfits: [...others, ...theirs],
  };
}

/** Turns an issue of a part into one of the pipeline. */
const within = (part: string, { path, pointer, code, message }: Issue): Issue => ({
  path: path.replace(/^spec/, part),
  ...(pointer !== undefined && { pointer: pointer.replace(/^\/spec/, `/${part.replaceAll('.', '/')}`) }),
  code,
  message: message.replace(/^spec\./, `${part}.`),
});

/** Validates a pipeline: its templates as the first run would fill them in, by the rules of the kinds that they become. */
export async function validatePipeline(
  candidate: Candidate<PipelineSpec>,
  context: ValidationContext,
): Promise<ValidationResult<PipelineSpec>> {
  const { id, spec } = candidate;
  const findings = createFindings(candidate);
  checkId(findings, 'ModelPipeline', id);
  if (id.length > LONGEST_ID) findings.add('id', 'too_long', `pipeline ID should not exceed ${LONGEST_ID} symbols`);
  for (const issue of await validateSteps(candidate, context)) {
    findings.add(issue.path, issue.code, issue.message);
  }
  if (hasDeployment(spec) && !hasPackaging(spec)) {
    findings.add('spec.packaging', 'required', 'a deployment needs the image of a packaging');
  }
  await checkGates(findings, spec, context);
  checkTriggers(findings, spec);
  checkNotify(findings, spec, context.rules);
  if (!findings.misfit('spec.onFailure') && !['restore', 'keep'].includes(spec.onFailure)) {
    findings.add('spec.onFailure', 'not_supported', `onFailure is restore or keep, not "${spec.onFailure}"`);
  }
  return { issues: findings.all(), spec };
}

/** Reads and validates a body. @returns id and spec to store. @throws bad_json, validation_failed */
export async function acceptPipeline(body: unknown, { lookups, rules }: ValidationContext) {
  const candidate = readPipeline(body);
  const context = { lookups: cachedLookups(lookups), rules };
  return toValidationResult('ModelPipeline', candidate, await validatePipeline(candidate, context));
}

async function validateSteps(
  { id, spec, misfits }: Candidate<PipelineSpec>,
  context: ValidationContext,
): Promise<Issue[]> {
  const facts = { pipeline: id || 'pipeline', run: '1', version: spec.version, parameters: spec.parameters };
  const early = createRenderer(facts);
  const { render } = createRenderer({ ...facts, commit: '0'.repeat(40) });
  const childId = `${facts.pipeline}-1`;

  /** Skips parts that have fields of a wrong type, and drops issues of the child's id, which the platform generates. */
  const judge = async (part: string, steps: () => Promise<Issue[]>): Promise<Issue[]> => {
    if (misfits.some(({ path, code }) => path.startsWith(`spec.${part}`) && code !== UNKNOWN_FIELD)) return [];
    try {
      const issues = await steps();
      return issues.flatMap((issue) => {
        if (issue.path !== 'id') return [within(`spec.${part}`, issue)];
        return part === 'deployment.spec' ? [ofDeploymentId(issue)] : [];
      });
    } catch (err) {
      if (!(err instanceof TemplateProblem)) throw err;
      return [{ path: `spec.${part}`, code: 'bad_placeholder', message: err.message }];
    }
  };

  const training = await judge('training', async () => {
    const algorithmSource = early.render(spec.training.algorithmSource);
    const candidate = readTraining({ id: childId, spec: { ...render(spec.training), algorithmSource } });
    return (await validateTraining(candidate, context)).issues;
  });
  const packaging = await judge('packaging', async () => {
    if (!hasPackaging(spec)) return [];
    const candidate = readPackaging({ id: childId, spec: { ...render(spec.packaging), artifactName: 'artifact' } });
    return (await validatePackaging(candidate, context)).issues;
  });
  const deployment = await judge('deployment.spec', async () => {
    if (!hasDeployment(spec)) return [];
    const candidate = readDeployment({
      id: spec.deployment.id,
      spec: { ...render(spec.deployment.spec), image: 'image' },
    });
    // The image is the one that the packaging will make: its name is checked when a run has it.
    return (await validateDeployment(candidate, { ...context, rules: { ...context.rules, images: undefined } })).issues;
  });
  return [...training, ...packaging, ...deployment];
}

const ofDeploymentId = ({ code, message }: Issue): Issue => {
  const path = 'spec.deployment.id';
  return { path, code, message: `${path}: ${message}` };
};
