import type { Kind } from './resource.js';
import type { Findings } from './findings.js';

const LETTER_FIRST = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;
const LETTER_OR_DIGIT_FIRST = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Judges an id by the rule of its kind (management API, 3.0). */
export function checkId(findings: Findings, kind: Kind, id: string): void {
  if (findings.misfit('id')) return;
  const rule = kind === 'ModelPackaging' ? LETTER_OR_DIGIT_FIRST : LETTER_FIRST;
  if (!rule.test(id)) findings.add('id', 'invalid', 'ID is not valid');
  if (id === '') findings.add('id', 'required', 'empty "ID"');
}
