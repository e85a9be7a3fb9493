import { artifactNameProblem } from '../kinds/artifact-name.js';
import { type Candidate, readCandidate } from '../../platform/kinds/candidate.js';
import { checkFeedbackBinding } from '../kinds/feedback-binding.js';
import { createFindings, type Findings } from '../../platform/kinds/findings.js';
import { checkId } from '../../platform/kinds/id-rules.js';
import { labelProblem } from '../../platform/kinds/label.js';
import { referenceProblem } from '../kinds/git-uri.js';
import { isObjectStore, readProblem } from '../kinds/object-location.js';
import { checkEnvs } from './env-checks.js';
import { checkNodeSelector, checkOutputConnection, missing } from './placement-checks.js';
import { checkProgramInput } from './program-input-checks.js';
import { checkCeilings, checkQuantities, checkRequests } from './resource-checks.js';
import { TrainingSpec } from '../kinds/training.js';
import {
  toValidationResult,
  type ValidationContext,
  type Lookups,
  cachedLookups,
  type ValidationResult,
} from './validation.js';
import { checkImage } from './image-checks.js';
import { findToolchain } from './find-integration.js';

const STORES = '[s3 gcs azureblob object-store]';

export const readTraining = (body: unknown): Candidate<TrainingSpec> =>
  readCandidate('ModelTraining', TrainingSpec, body);

/** Validates a training (management API, 3.2) and fills in what the installation, the toolchain and the source default. */
export async function validateTraining(
  candidate: Candidate<TrainingSpec>,
  context: ValidationContext,
): Promise<ValidationResult<TrainingSpec>> {
  const { lookups, rules } = context;
  const { id, spec } = candidate;
  const findings = createFindings(candidate);
  checkId(findings, 'ModelTraining', id);
  checkModel(findings, spec.model);
  checkQuantities(findings, spec.resources);
  const reference = await checkAlgorithmSource(findings, spec.algorithmSource, context);
  await checkData(findings, spec.data, context);
  await checkEnvs(findings, spec.envs, lookups);
  const image = await checkToolchain(findings, spec, lookups);
  checkImage(findings, 'spec.image', image, rules);
  const outputConnection = await checkOutputConnection(findings, spec.outputConnection, context);
  checkNodeSelector(findings, spec.nodeSelector, rules.nodePools);
  checkRequests(findings, spec.resources);
  checkCeilings(findings, spec.resources, rules);
  checkProgramInput(findings, spec);
  const { vcs, objectStorage } = spec.algorithmSource;
  const algorithmSource = { vcs: reference ? { ...vcs, reference } : vcs, objectStorage };
  return {
    issues: findings.all(),
    spec: { ...spec, algorithmSource, ...(image ? { image } : {}), outputConnection },
  };
}

/** Reads and validates a body. @returns id and spec to store. @throws bad_json, validation_failed */
export async function acceptTraining(body: unknown, { lookups, rules }: ValidationContext) {
  const candidate = readTraining(body);
  const context = { lookups: cachedLookups(lookups), rules };
  return toValidationResult('ModelTraining', candidate, await validateTraining(candidate, context));
}

function checkModel(findings: Findings, model: TrainingSpec['model']): void {
  for (const field of ['name', 'version'] as const) {
    const path = `spec.model.${field}`;
    if (findings.misfit(path)) continue;
    const problem = labelProblem(model[field]);
    if (model[field] === '') findings.add(path, 'required', `empty model.${field}`);
    findings.addIf(path, 'invalid_label', problem && `invalid training ${field}: ${problem}`);
  }
  const path = 'spec.model.artifactNameTemplate';
  const problem = artifactNameProblem(model.artifactNameTemplate);
  if (!findings.misfit(path)) findings.addIf(path, 'invalid', problem && `model.artifactNameTemplate: ${problem}`);
}

/** @returns the reference to train: the one that the spec names, else its connection's */
async function checkAlgorithmSource(
  findings: Findings,
  { vcs, objectStorage }: TrainingSpec['algorithmSource'],
  context: ValidationContext,
): Promise<string | undefined> {
  const path = 'spec.algorithmSource';
  const misfits = [`${path}.vcs.connection`, `${path}.objectStorage.connection`].map((each) => findings.misfit(each));
  if (vcs.connection && objectStorage.connection) {
    findings.add(path, 'ambiguous', 'both VCS and ObjectStorage names are specified, must be only one');
  } else if (vcs.connection) {
    return checkVcs(findings, { connection: vcs.connection, reference: vcs.reference }, context.lookups);
  } else if (objectStorage.connection) {
    const use = ['object storage', 'object storage'] as const;
    const { connection: id, path: at } = objectStorage;
    await checkStore(findings, { field: `${path}.objectStorage`, pathField: 'path', id, at, use }, context);
  } else if (!misfits.includes(true)) {
    findings.add(path, 'required', 'both VCS and ObjectStorage names are empty');
  }
  return undefined;
}

async function checkVcs(
  findings: Findings,
  vcs: { connection: string; reference: string | undefined },
  lookups: Lookups,
): Promise<string | undefined> {
  const path = 'spec.algorithmSource.vcs.connection';
  const problem = vcs.reference === undefined ? undefined : referenceProblem(vcs.reference);
  findings.addIf('spec.algorithmSource.vcs.reference', 'invalid', problem);
  const found = await lookups.connection(vcs.connection);
  if (found === undefined) {
    findings.add(path, 'not_found', missing(vcs.connection));
  } else if (found.spec.type !== 'git') {
    const message = `VCS connection must have the GIT type. You pass the connection of ${found.spec.type} type`;
    findings.add(path, 'wrong_connection_type', message);
  }
  return vcs.reference ?? found?.spec.reference;
}

async function checkData(findings: Findings, data: TrainingSpec['data'], context: ValidationContext): Promise<void> {
  findings.misfit('spec.data');
  for (const [at, { localPath, connection, remotePath, feedback }] of data.entries()) {
    const path = `spec.data.${at}`;
    if (!findings.misfit(`${path}.localPath`) && localPath === '') {
      findings.add(`${path}.localPath`, 'required', `you should specify local path for ${at} number of data binding`);
    }
    if (feedback !== undefined) {
      const message = `both connection and feedback are specified for ${at} number of data binding, must be only one`;
      findings.addIf(path, 'ambiguous', connection === '' ? undefined : message);
      checkFeedbackBinding(findings, `${path}.feedback`, feedback);
      continue;
    }
    if (findings.misfit(`${path}.feedback`) || findings.misfit(`${path}.connection`)) continue;
    if (connection === '') {
      const message = `you should specify connection name for ${at} number of data binding`;
      findings.add(`${path}.connection`, 'required', message);
    } else {
      const use = ['data binding', 'data bindings'] as const;
      const store = { field: path, pathField: 'remotePath', id: connection, at: remotePath, use };
      await checkStore(findings, store, context);
    }
  }
}

interface StoreUse {
  /** Where the spec names the store, and the name of its path there. */
  field: string;
  pathField: string;
  id: string;
  at: string | undefined;
  /** The purpose of the connection as messages name it, in singular and plural. */
  use: readonly [one: string, many: string];
}

async function checkStore(
  findings: Findings,
  { field, pathField, id, at, use: [one, many] }: StoreUse,
  { lookups, rules }: ValidationContext,
): Promise<void> {
  const path = `${field}.connection`;
  const found = await lookups.connection(id);
  if (found === undefined) findings.add(path, 'not_found', missing(id));
  else if (!isObjectStore(found.spec.type)) {
    const supported = `Currently supported the following types of connections for ${many}: ${STORES}`;
    findings.add(path, 'wrong_connection_type', `${id} ${one} has wrong data type. ${supported}`);
  } else {
    const problem = readProblem(found.spec, at, rules);
    findings.addIf(`${field}.${pathField}`, 'invalid', problem && `${id} ${one}: ${problem}`);
  }
}

/** @returns the image of the job: the one that the spec names, else the toolchain's */
async function checkToolchain(
  findings: Findings,
  { toolchain, image }: TrainingSpec,
  lookups: Lookups,
): Promise<string | undefined> {
  const path = 'spec.toolchain';
  if (findings.misfit(path)) return image;
  if (toolchain === '') findings.add(path, 'required', 'empty toolchain parameter');
  if (toolchain === '') return image;
  const problem = labelProblem(toolchain);
  findings.addIf(path, 'invalid_label', problem && `invalid training toolchain: ${problem}`);
  const found = await findToolchain(lookups, toolchain);
  if (found === undefined) findings.add(path, 'not_found', missing(toolchain));
  return image ?? found?.spec.defaultImage;
}
