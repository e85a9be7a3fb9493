import type { Findings } from '../../platform/kinds/findings.js';

/** What an integration cannot do without: a program and the image it is in. */
export function checkProgram(findings: Findings, spec: { entrypoint: string; defaultImage: string }): void {
  for (const field of ['entrypoint', 'defaultImage'] as const) {
    if (!findings.misfit(`spec.${field}`) && spec[field] === '') {
      findings.add(`spec.${field}`, 'required', `empty ${field}`);
    }
  }
}
