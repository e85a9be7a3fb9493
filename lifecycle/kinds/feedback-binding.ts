import { z } from 'zod';
import { parseDuration } from '../../platform/kinds/duration.js';
import type { FeedbackWindow } from './feedback-window.js';
import type { Findings } from '../../platform/kinds/findings.js';
import { castText, flag, object, optionalCastText, optionalText, text } from '../../platform/kinds/lenient.js';

const FEEDBACK_FORMATS = ['ndjson', 'csv'] as const;

/** Answered calls of a model with what feedback says of them, as rows of one file. */
export const FeedbackBinding = object({
  /** Name of the model; every version of it when there is no `version`. */
  model: castText(),
  version: optionalCastText(),
  /** The calls: a span up to the start of the run (`P7D`), or from one time to another; without `to`, to the start. */
  last: optionalText(),
  from: optionalText(),
  to: optionalText(),
  /** How long after its call feedback may come. */
  within: text('P30D'),
  format: text('ndjson'),
  /** No rows are no failure. */
  allowEmpty: flag(false),
});
export type FeedbackBinding = z.infer<typeof FeedbackBinding>;

const Time = z.iso.datetime({ offset: true });
const LONGEST_MS = 366 * 86_400_000;

/** Validates a binding; `at` counts the bindings of a training. */
export function checkFeedbackBinding(findings: Findings, path: string, binding: FeedbackBinding): void {
  const { model, last, from, to, within, format } = binding;
  const say = (field: string, code: string, message: string) => {
    if (!findings.misfit(`${path}.${field}`)) findings.add(`${path}.${field}`, code, message);
  };
  if (model === '') say('model', 'required', 'you should specify the model whose feedback is the data');
  if (last === undefined && from === undefined) say('last', 'required', 'feedback needs either last or from');
  if (last !== undefined && (from ?? to) !== undefined) {
    say('last', 'ambiguous', 'both last and from or to are specified, must be only one');
  }
  for (const [field, value] of Object.entries({ last, within })) {
    const problem = value === undefined ? undefined : spanProblem(value);
    if (problem !== undefined) say(field, 'invalid', `${field} ${problem}`);
  }
  for (const [field, value] of Object.entries({ from, to })) {
    if (value === undefined || Time.safeParse(value).success) continue;
    say(field, 'invalid', `${field} must be a time such as 2026-01-31T12:00:00Z, not "${value}"`);
  }
  if (from !== undefined && to !== undefined && Date.parse(to) <= Date.parse(from)) {
    say('to', 'invalid', 'to must be later than from');
  }
  if (!(FEEDBACK_FORMATS as readonly string[]).includes(format)) {
    say('format', 'not_supported', `format is ${FEEDBACK_FORMATS.join(' or ')}, not "${format}"`);
  }
}

function spanProblem(text: string): string | undefined {
  const ms = parseDuration(text);
  if (ms === undefined) return `must be a duration such as P7D or PT12H, not "${text}"`;
  return ms > 0 && ms <= LONGEST_MS ? undefined : `must be longer than nothing and at most 366 days, not "${text}"`;
}

/** The window of a run that starts at `start`; the same ever after. Whole seconds, because records have no more. */
export function resolveWindow({ last, from, to, within }: FeedbackBinding, start: Date): FeedbackWindow {
  const asOf = Math.floor(start.getTime() / 1_000) * 1_000;
  const end = to === undefined ? asOf : Math.min(Date.parse(to), asOf);
  const begin = from === undefined ? end - (parseDuration(last ?? '') ?? 0) : Date.parse(from);
  return { from: begin, to: end, asOf, withinMs: parseDuration(within) ?? 0 };
}
