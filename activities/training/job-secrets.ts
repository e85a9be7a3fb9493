import { buffer } from 'node:stream/consumers';
import tar from 'tar-stream';
import type { Connection } from '../../lifecycle/kinds/connection.js';
import type { SecretField } from '../../lifecycle/kinds/connection-secrets.js';
import type { Training } from '../../lifecycle/kinds/training.js';
import { secretProblem } from '../../lifecycle/validation/env-checks.js';
import type { EngineDriver, Handle } from '../../platform/engines/driver.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import { type OpenSecret, secretPlaces } from '../../platform/kinds/secret-places.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { CONTAINER_UID } from '../shared/archive.js';
import { WORKSPACE } from '../shared/job.js';

export interface JobSecretDeps {
  connections: Pick<ResourceStore<Connection>, 'get'>;
  openSecret: OpenSecret;
}

/** A variable of the user's program whose value is a secret. It is in no container configuration and no description. */
export interface JobSecret {
  name: string;
  value: string;
}

export const secretNames = ({ spec }: Pick<Training, 'spec'>): string[] =>
  spec.envs.filter(({ valueFrom }) => valueFrom !== undefined).map(({ name }) => name);

/** Reads the secrets of a job. @throws run_failed, SpecInvalid, when a connection does not allow or have one any more */
export async function readJobSecrets(deps: JobSecretDeps, training: Pick<Training, 'spec'>): Promise<JobSecret[]> {
  const secrets: JobSecret[] = [];
  for (const { name, valueFrom } of training.spec.envs) {
    if (valueFrom === undefined) continue;
    const connection = await deps.connections.get(valueFrom.connection);
    const problem =
      connection === undefined
        ? `connection "${valueFrom.connection}" was deleted: create it again and rerun the training`
        : secretProblem(connection, valueFrom.field)?.message;
    if (connection === undefined || problem !== undefined) throw refused(name, problem);
    const value = open(deps, connection, valueFrom.field as SecretField); // `secretProblem` names any other
    // A decoder puts the replacement character where bytes are no text.
    if (value.includes('\0') || value.includes('\uFFFD')) throw refused(name, 'the secret is no text');
    secrets.push({ name, value });
  }
  return secrets;
}

/** Reads the values that the log must not show, also of a connection that does not allow them any more. */
export async function readMaskedValues(deps: JobSecretDeps, { spec }: Pick<Training, 'spec'>): Promise<string[]> {
  const values: string[] = [];
  for (const { valueFrom } of spec.envs) {
    const connection = valueFrom && (await deps.connections.get(valueFrom.connection));
    if (connection) values.push(open(deps, connection, valueFrom.field as SecretField)); // was validated with the spec
  }
  return values;
}

function open({ openSecret }: JobSecretDeps, { id, spec }: Connection, field: SecretField): string {
  const sealed = spec[field];
  return sealed === undefined ? '' : openSecret(sealed, secretPlaces.connection(id, field));
}

const refused = (name: string, problem = '') =>
  runFailed({ reason: 'SpecInvalid', message: `environment variable ${name}: ${problem}` });

/** Puts each secret into a file that only the user of the job reads, in the volume that is removed with its container. */
export async function putSecrets(
  engine: Pick<EngineDriver, 'putArchive'>,
  handle: Handle,
  secrets: readonly JobSecret[],
): Promise<void> {
  if (secrets.length === 0) return;
  const pack = tar.pack();
  const common = { uid: CONTAINER_UID, gid: 0, mtime: new Date(0) };
  pack.entry({ ...common, name: 'secrets/', type: 'directory', mode: 0o700 });
  for (const { name, value } of secrets) pack.entry({ ...common, name: `secrets/${name}`, mode: 0o400 }, value);
  pack.finalize();
  await engine.putArchive(handle, `${WORKSPACE}/.slipway`, await buffer(pack));
}
