import { packagingStep, revisionStep, trainingStep } from '../../../lifecycle/kinds/lineage-steps.js';
import type { PipelineRun } from '../../../lifecycle/kinds/pipeline-run.js';
import { PipelineSpec } from '../../../lifecycle/kinds/pipeline.js';
import { TrainingSpec } from '../../../lifecycle/kinds/training.js';
import { newDeployment, newPackaging, newTraining } from '../../activities/shared/resources.js';
import { call } from '../../gateway/recording.js';

export const AT = Date.UTC(2026, 10, 20, 12);

/** One model from a commit to a deployment; each generation as the activities of its runs leave it. */
export function startStory(name: string) {
  const spec = TrainingSpec.parse({
    model: { name, version: '1' },
    algorithmSource: { vcs: { connection: 'code' } },
    data: [{ localPath: 'rows.csv', feedback: { model: name, last: 'P1D' } }],
    hyperParameters: { alpha: '0.5' },
  });
  const entities = {
    training: newTraining(name, spec),
    packaging: newPackaging(name),
    deployment: newDeployment(name),
  };

  return function generationOf(generation: number) {
    const [commit, artifactName, image] = [
      `${generation}`.repeat(40),
      `${name}-${generation}.zip`,
      `r/${name}:${generation}`,
    ];
    const [artifactDigest, imageId, imageDigest] = ['artifact', 'id', 'manifest'].map(
      (word) => `${word}-${name}-${generation}`,
    );
    const finishedAt = new Date(AT + generation * 60_000).toISOString();
    const done = { state: 'succeeded' as const, finishedAt };
    const training = {
      ...entities.training,
      generation,
      status: {
        ...{ ...entities.training.status, ...done, artifactName, artifactDigest },
        ...{ metrics: { rmse: 0.7 }, parameters: { alpha: '0.5' } },
        artifacts: [{ runId: 'r', artifactName, commitID: commit }],
        data: [{ localPath: 'rows.csv', digest: `data-${name}` }],
      },
    };
    const results = Object.entries({ image, imageDigest }).map(([key, value]) => ({ name: key, value: value ?? '' }));
    const packaging = {
      ...entities.packaging,
      generation,
      spec: { ...entities.packaging.spec, artifactName, integrationName: 'container-rest' },
      status: { ...entities.packaging.status, ...done, results, artifactDigest, imageId },
    };
    const ref = { id: name, uid: entities.deployment.uid, generation };
    const served = { imageId, roleName: 'r', feedback: true, modelName: name, modelVersion: '1', timeoutSeconds: 60 };
    const limits = { cpus: 1, memoryBytes: 1 };
    const serving = { ref, image, ...served, replicas: 1, limits, readinessDelay: 0, port: 5_000 };
    const deployment = { ...entities.deployment, generation, spec: { ...entities.deployment.spec, image }, serving };
    const run: PipelineRun = {
      ...{ kind: 'PipelineRun', id: `${name}-${generation}`, uid: `run-${name}-${generation}` },
      ...{
        generation: 1,
        revision: 1,
        createdAt: finishedAt,
        updatedAt: finishedAt,
        createdBy: 'ada',
        updatedBy: 'ada',
      },
      spec: {
        ...{ pipeline: name, number: generation, parameters: {}, version: '1', noCache: false },
        trigger: { type: 'api', at: finishedAt, by: 'ada' },
        template: PipelineSpec.parse({}),
      },
      status: {
        ...{ ...done, transitions: [], gates: [], commit },
        steps: (['training', 'packaging', 'deployment'] as const).map((word) => ({
          ...{ name: word, state: 'succeeded', startedAt: finishedAt, child: `${word}/${name}` },
        })),
        deployed: { id: name, generation },
      },
    };
    return {
      ...{ training, packaging, deployment, run, commit, artifactDigest, imageId, imageDigest },
      endpoint: { ...ref, ...served, replicas: [], info: {} },
      steps: [trainingStep(training), packagingStep(packaging), revisionStep(serving, finishedAt)],
      call: (requestId: string) =>
        call({
          ...{ at: AT, requestId, modelName: name, imageId, revision: String(generation) },
          ...{ deployment: name, deploymentUid: ref.uid },
        }),
    };
  };
}
