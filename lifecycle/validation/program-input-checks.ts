import type { Findings } from '../../platform/kinds/findings.js';
import type { TrainingSpec } from '../kinds/training.js';

type Input = Pick<TrainingSpec, 'workDir' | 'data' | 'envs' | 'args' | 'hyperParameters' | 'entrypoint'>;

const LONGEST_SHOWN = 100;

/** Validates what reaches the program of a training: paths below its source, variables and arguments. */
export function checkProgramInput(findings: Findings, input: Input): void {
  checkPath(findings, 'spec.workDir', input.workDir);
  for (const [at, { localPath }] of input.data.entries()) checkPath(findings, `spec.data.${at}.localPath`, localPath);
  for (const [at, { name, value }] of input.envs.entries()) {
    checkVariable(findings, `spec.envs.${at}.name`, name);
    checkText(findings, `spec.envs.${at}.value`, value);
  }
  checkText(findings, 'spec.entrypoint', input.entrypoint);
  for (const [at, text] of input.args.entries()) checkText(findings, `spec.args.${at}`, text);
  for (const [name, value] of Object.entries(input.hyperParameters)) {
    checkText(findings, 'spec.hyperParameters', name);
    checkText(findings, 'spec.hyperParameters', value);
  }
}

function checkPath(findings: Findings, path: string, value: string): void {
  if (findings.misfit(path)) return;
  const name = path.split('.').at(-1);
  const isInside = !value.startsWith('/') && !value.split('/').includes('..');
  if (!isInside) {
    findings.add(path, 'invalid', `${name} ${shown(value)} leads out of the source: give a path below its root`);
  }
  checkText(findings, path, value);
}

/** The name of an environment variable; shared by trainings and toolchains. */
export function checkVariable(findings: Findings, path: string, name: string): void {
  if (findings.misfit(path) || /^[^=\p{Cc}]+$/u.test(name)) return;
  const rule = 'is no name of a variable: it has at least one character, no "=" and no control character';
  findings.add(path, 'invalid', `${path.replace('spec.', '')} ${shown(name)} ${rule}`);
}

function checkText(findings: Findings, path: string, value: string): void {
  if (findings.misfit(path) || !value.includes('\u0000')) return;
  const text = `${path.replace('spec.', '')} ${shown(value)} holds a NUL character: no program can get it, remove it`;
  findings.add(path, 'invalid', text);
}

const shown = (text: string): string => JSON.stringify(text.slice(0, LONGEST_SHOWN));
