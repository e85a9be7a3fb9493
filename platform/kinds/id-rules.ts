import type { Kind } from './resource.js';
import type { Findings } from './findings.js';

const LETTER_FIRST = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;
const LETTER_OR_DIGIT_FIRST = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Judges an id by the rule of its kind (management API, 3.0). */
export function checkId(findings: Findings, kind: Kind, id: string): void {
  if (findings.misfit('id')) return;
  const rule = kind === 'ModelPackaging' ? LETTER_OR_DIGIT_FIRST : LETTER_FIRST;
  if (id === '') {
    findings.add('id', 'invalid', 'ID is not valid');
    findings.add('id', 'required', 'empty "ID"');
  } else if (!rule.test(id)) {
    const first = rule === LETTER_FIRST ? 'a letter' : 'a letter or digit';
    findings.add('id', 'invalid', `ID is not valid: use 1 to 63 of a-z, 0-9 and -, ${first} first, no - at the end`);
  }
}
