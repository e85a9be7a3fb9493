import { z } from 'zod';
import { type Issue, validationError } from './errors.js';
import { isRecord, object, optionalCastText, textMap } from './lenient.js';
import { PREFIXES } from './candidate.js';
import type { Pipeline } from './pipeline.js';

/** What a caller may say when a run is started. */
export const RunRequestBody = object({
  /** Values instead of the pipeline's own. */
  parameters: textMap(),
  /** Version of the model instead of the pipeline's. */
  version: optionalCastText(),
  /** Reuse nothing in this run; the pipeline's own word when absent. */
  noCache: z.boolean().optional(),
});

/** @throws validation_failed: a wrong type, a field or parameter that is not known */
export function readRunRequest(body: unknown, { id, spec }: Pipeline): z.infer<typeof RunRequestBody> {
  const issues: Issue[] = [];
  const parsed = RunRequestBody.safeParse(body);
  if (!parsed.success) {
    for (const { path, message } of parsed.error.issues) add(issues, path.join('.'), 'wrong_type', message);
  }
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
  if (issues.length > 0 || !parsed.success) throw validationError(PREFIXES.PipelineRun, issues);
  return parsed.data;
}

const add = (issues: Issue[], path: string, code: string, message: string): void =>
  void issues.push({ path, code, message });

const Word = z.object({ reason: z.string().trim().min(1).max(1_000) });

/** Why a person decided; it is kept beside the decision. @throws validation_failed */
export function readDecision(body: unknown): string {
  const parsed = Word.safeParse(body);
  if (parsed.success) return parsed.data.reason;
  const message = 'reason must be a text of 1 to 1000 characters that says why';
  throw validationError(PREFIXES.PipelineRun, [{ path: 'reason', code: 'required', message }]);
}
