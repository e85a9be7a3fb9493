import { z } from 'zod';
import { type Issue, SlipwayError, validationError } from '../../platform/kinds/errors.js';
import { isAbsent, isRecord, object, optionalCastText, textMap } from '../../platform/kinds/lenient.js';
import { misfitsOf, PREFIXES } from '../../platform/kinds/candidate.js';
import { createRenderer, TemplateProblem } from './pipeline-template.js';
import type { PipelineRunSpec } from './pipeline-run.js';
import type { Pipeline, PipelineSpec } from './pipeline.js';

/** The body of a request that starts a run. */
export const RunRequestBody = object({
  /** Values instead of the pipeline's own. */
  parameters: textMap(),
  /** Version of the model instead of the pipeline's. */
  version: optionalCastText(),
  /** Reuse nothing in this run; the pipeline's own word when absent. */
  noCache: z.boolean().optional(),
});

/** @throws bad_json; validation_failed: a wrong type, a field or parameter that is not known */
export function readRunRequest(body: unknown, { id, spec }: Pipeline): z.infer<typeof RunRequestBody> {
  if (!isAbsent(body) && !isRecord(body)) throw new SlipwayError('bad_json', 'the body must be a JSON object');
  const issues: Issue[] = [];
  const parsed = RunRequestBody.safeParse(body);
  if (!parsed.success) issues.push(...misfitsOf(parsed.error));
  const known = ['parameters', 'version', 'noCache'];
  for (const name of isRecord(body) ? Object.keys(body) : []) {
    if (!known.includes(name)) add(issues, name, 'unknown', `a run takes ${known.join(', ')}, not "${name}"`);
  }
  for (const name of Object.keys(parsed.data?.parameters ?? {})) {
    if (Object.hasOwn(spec.parameters, name)) continue;
    const declared = Object.keys(spec.parameters).join(', ') || 'none';
    add(
      issues,
      `parameters.${name}`,
      'unknown',
      `pipeline ${id} declares no parameter "${name}"; declared: ${declared}`,
    );
  }
  if (parsed.success && issues.length === 0) checkPlaceholders(issues, parsed.data, { id, spec });
  if (issues.length > 0 || !parsed.success) throw validationError(PREFIXES.PipelineRun, issues);
  return parsed.data;
}

/** Checks placeholders in a caller's overrides by the rules for those that the pipeline declares. */
function checkPlaceholders(
  issues: Issue[],
  { parameters, version = '' }: z.infer<typeof RunRequestBody>,
  { id, spec }: Pick<Pipeline, 'id' | 'spec'>,
): void {
  const facts = { pipeline: id, run: '1', commit: '0'.repeat(40), version: version || spec.version };
  const { render } = createRenderer({ ...facts, parameters: { ...spec.parameters, ...parameters } });
  const given: [string, string][] = Object.entries(parameters).map(([name, value]) => [`parameters.${name}`, value]);
  for (const [path, text] of [...given, ['version', version] as const]) {
    try {
      render(text);
    } catch (err) {
      if (!(err instanceof TemplateProblem)) throw err;
      add(issues, path, 'bad_placeholder', `${path}: ${err.message}`);
    }
  }
}

const add = (issues: Issue[], path: string, code: string, message: string): void =>
  void issues.push({ path, code, message });

/** @returns the spec that a retry brings along, not validated yet. @throws bad_json, validation_failed */
export function readRetry(body: unknown): unknown {
  if (!isAbsent(body) && !isRecord(body)) throw new SlipwayError('bad_json', 'the body must be a JSON object');
  const { spec, ...others }: Record<string, unknown> = isRecord(body) ? body : {};
  const issues: Issue[] = [];
  for (const name of Object.keys(others)) add(issues, name, 'unknown', `a retry takes spec, not "${name}"`);
  if (issues.length > 0) throw validationError(PREFIXES.PipelineRun, issues);
  return isAbsent(spec) ? undefined : spec;
}

/** A run with another template: what its request gave stays, what the old template defaulted is as in the new one. */
export function withTemplate(spec: PipelineRunSpec, template: PipelineSpec): PipelineRunSpec {
  const { template: old, version, noCache, parameters } = spec;
  const given = Object.entries(parameters).filter(
    ([name, value]) => Object.hasOwn(template.parameters, name) && value !== old.parameters[name],
  );
  return {
    ...spec,
    template,
    parameters: { ...template.parameters, ...Object.fromEntries(given) },
    version: version === old.version ? template.version : version,
    noCache: noCache === old.noCache ? template.noCache : noCache,
  };
}

const Word = z.object({ reason: z.string().trim().min(1).max(1_000) });

/** Why a person decided; it is kept beside the decision. @throws validation_failed */
export function readDecision(body: unknown): string {
  const parsed = Word.safeParse(body);
  if (parsed.success) return parsed.data.reason;
  const message = 'reason must be a text of 1 to 1000 characters that says why';
  throw validationError(PREFIXES.PipelineRun, [{ path: 'reason', code: 'required', message }]);
}
