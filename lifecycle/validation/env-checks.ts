import { SECRET_FIELDS, type SecretField } from '../kinds/connection-secrets.js';
import type { Connection } from '../kinds/connection.js';
import type { TrainingSpec } from '../kinds/training.js';
import type { Findings } from '../../platform/kinds/findings.js';
import { missing } from './placement-checks.js';
import type { Lookups } from './validation.js';

/** The value is a file of this name in the job, and a variable of a shell. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/** Checks the variables of a training that take their value from a secret of a connection. */
export async function checkEnvs(findings: Findings, envs: TrainingSpec['envs'], lookups: Lookups): Promise<void> {
  const names = envs.map(({ name }) => name);
  for (const [at, { name, value, valueFrom }] of envs.entries()) {
    const path = `spec.envs.${at}`;
    if (valueFrom === undefined || findings.misfit(`${path}.valueFrom`)) continue;
    const text = `a name with valueFrom must be letters, digits and "_", such as API_TOKEN; got "${name}"`;
    findings.addIf(`${path}.name`, 'invalid', NAME.test(name) ? undefined : text);
    findings.addIf(`${path}.name`, 'duplicate', names.indexOf(name) === at ? undefined : `"${name}" is given twice`);
    findings.addIf(path, 'ambiguous', value === '' ? undefined : `"${name}" has value and valueFrom: give one of them`);
    const { connection: id, field } = valueFrom;
    const connection = id === '' ? undefined : await lookups.connection(id);
    if (connection === undefined) {
      const problem = id === '' ? 'name the connection that holds the secret' : missing(id);
      findings.add(`${path}.valueFrom.connection`, id === '' ? 'required' : 'not_found', problem);
      continue;
    }
    const problem = secretProblem(connection, field);
    findings.addIf(`${path}.valueFrom.${problem?.field}`, problem?.code ?? '', problem?.message);
  }
}

/** @returns why a training may not have a secret of a connection; `undefined` when it may */
export function secretProblem({ id, spec }: Connection, field: string) {
  if (!spec.usableIn?.includes('training')) {
    const remedy = 'an admin allows it with usableIn: [training] in the connection';
    return { field: 'connection', code: 'not_usable', message: `secrets of "${id}" are not for trainings: ${remedy}` };
  }
  const known = SECRET_FIELDS.filter((each) => spec[each]);
  if (known.includes(field as SecretField)) return undefined;
  const message = `connection "${id}" has no secret "${field}": it has ${known.join(', ') || 'none'}`;
  return { field: 'field', code: 'not_found', message };
}
