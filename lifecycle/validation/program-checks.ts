import type { Findings } from '../../platform/kinds/findings.js';

/** The two required fields of an integration: a program and its image. */
export function checkProgram(findings: Findings, spec: { entrypoint: string; defaultImage: string }): void {
  for (const field of ['entrypoint', 'defaultImage'] as const) {
    if (!findings.misfit(`spec.${field}`) && spec[field] === '') {
      findings.add(`spec.${field}`, 'required', `empty ${field}`);
    }
  }
}
