import type { Deployment } from './deployment.js';
import type { LineageStep, StepLink, Thing } from './lineage.js';
import type { Packaging } from './packaging.js';
import type { PipelineRun } from './pipeline-run.js';
import type { Revision } from './revision.js';
import type { Training } from './training.js';

/** The inputs and products of each kind. A new kind is one function here, and its name in `LINEAGE_KINDS`. */

export function trainingStep({ id, uid, generation, spec, status, updatedAt, createdBy }: Training): LineageStep {
  const commit = status.artifacts[0]?.commitID ?? '';
  const { connection, path } = spec.algorithmSource.objectStorage;
  const data = (status.data ?? []).map(({ localPath, digest, feedback }, index) => {
    const { connection: from, remotePath, feedback: binding } = spec.data[index] ?? {};
    const about = binding && { feedback: { model: binding.model, version: binding.version, ...feedback } };
    return { localPath, digest, ...(from && { connection: from, remotePath }), ...about };
  });
  const used = data.map(({ digest, ...facts }): Thing => ({ kind: 'data', digest, facts }));
  const repository = { connection: spec.algorithmSource.vcs.connection, reference: spec.algorithmSource.vcs.reference };
  return {
    ...{ kind: 'training', id, uid, generation, at: status.finishedAt ?? updatedAt },
    uses: [...(commit === '' ? [] : [{ kind: 'commit' as const, digest: commit, facts: repository }]), ...used],
    makes: status.artifactName ? [artifact(status.artifactDigest, status.artifactName)] : [],
    facts: {
      ...{ state: status.state, reason: status.reason, message: status.message, createdBy },
      ...{ modelName: spec.model.name, modelVersion: spec.model.version, commit, data },
      ...(connection ? { source: { connection, path } } : { source: repository }),
      ...{ toolchain: spec.toolchain, entrypoint: spec.entrypoint, workDir: spec.workDir, image: spec.image },
      ...{ hyperParameters: spec.hyperParameters, parameters: status.parameters, metrics: status.metrics },
      ...{ startedAt: status.startedAt, finishedAt: status.finishedAt },
    },
  };
}

export function packagingStep({ id, uid, generation, spec, status, updatedAt, createdBy }: Packaging): LineageStep {
  const resultOf = (wanted: string) => status.results.find(({ name }) => name === wanted)?.value;
  const image = resultOf('image');
  return {
    ...{ kind: 'packaging', id, uid, generation, at: status.finishedAt ?? updatedAt },
    uses: [artifact(status.artifactDigest, spec.artifactName)],
    makes: image ? [imageThing({ name: image, digest: resultOf('imageDigest'), contentId: status.imageId })] : [],
    facts: {
      ...{ state: status.state, reason: status.reason, message: status.message, createdBy },
      ...{ integration: spec.integrationName, arguments: spec.arguments },
      ...{ startedAt: status.startedAt, finishedAt: status.finishedAt },
    },
  };
}

/** A revision that was published at `at`. */
export const revisionStep = ({ ref, image, imageDigest, imageId, ...revision }: Revision, at: string): LineageStep => ({
  ...{ kind: 'deployment', ...ref, at },
  uses: [imageThing({ name: image, digest: imageDigest, contentId: imageId })],
  makes: [],
  facts: {
    ...{ modelName: revision.modelName, modelVersion: revision.modelVersion, roleName: revision.roleName },
    ...{ replicas: revision.replicas, publishedAt: at },
  },
});

/** The revision that serves, and the one that is wanted where that is another. */
export function deploymentSteps({ id, uid, generation, spec, status, serving, updatedAt, createdBy }: Deployment) {
  const served = serving?.ref.generation === generation ? serving : undefined;
  const wanted: LineageStep = {
    ...{ kind: 'deployment', id, uid, generation, at: updatedAt },
    uses: [imageThing({ name: spec.image, digest: served?.imageDigest, contentId: served?.imageId })],
    makes: [],
    facts: {
      ...{ state: status.state, reason: status.reason, message: status.message, createdBy },
      ...{ roleName: spec.roleName, minReplicas: spec.minReplicas, maxReplicas: spec.maxReplicas },
    },
  };
  return serving === undefined || serving.ref.generation === generation
    ? [wanted]
    : [revisionStep(serving, updatedAt), wanted];
}

export function pipelineRunStep({ id, uid, generation, spec, status, createdAt }: PipelineRun): LineageStep {
  const links = status.steps.flatMap(({ child, reusedFrom }) => [
    ...(child?.startsWith('deployment/') ? [] : linkTo(child, 'started')),
    ...linkTo(reusedFrom, 'reused'),
  ]);
  const { deployed } = status;
  if (deployed && deployed.generation > 0) {
    links.push({ kind: 'deployment', id: deployed.id, generation: deployed.generation, relation: 'started' });
  }
  return {
    ...{ kind: 'pipeline-run', id, uid, generation, at: createdAt },
    uses: [{ kind: 'pipeline', name: spec.pipeline }],
    makes: [],
    starts: links,
    facts: {
      ...{ state: status.state, reason: status.reason, message: status.message, trigger: spec.trigger },
      ...{ number: spec.number, version: spec.version, parameters: spec.parameters, commit: status.commit },
      ...{ gates: status.gates, approval: status.approval },
      ...{ startedAt: status.startedAt, finishedAt: status.finishedAt },
    },
  };
}

/** `training/wine-3` */
function linkTo(child: string | undefined, relation: string): StepLink[] {
  const [, kind, id] = /^(training|packaging)\/(.+)$/.exec(child ?? '') ?? [];
  return id === undefined ? [] : [{ kind: kind === 'training' ? 'training' : 'packaging', id, relation }];
}

const artifact = (digest: string | undefined, name: string): Thing => ({
  kind: 'artifact',
  digest,
  name,
  facts: { name },
});

/** `name@sha256:...` is the image of that digest, which a packaging named `name`. */
function imageThing({ name, digest, contentId }: { name: string } & Pick<Thing, 'digest' | 'contentId'>): Thing {
  const [, tagged = name, given] = /^(.*)@(sha256:[0-9a-f]{64})$/.exec(name) ?? [];
  const known = digest ?? given;
  return {
    kind: 'image',
    name: tagged,
    digest: known,
    contentId,
    facts: { name: tagged, digest: known, imageId: contentId },
  };
}
