import { stateOf, type Entity, type Kind, type Slipway } from '../../client/index.js';
import { isPackedImage } from '../../lifecycle/kinds/packed-image.js';
import type { PipelineNames } from '../../lifecycle/kinds/pipeline-names.js';
import type { Pipeline } from '../../lifecycle/kinds/pipeline.js';
import { nameOf } from '../kinds.js';
import { duration } from '../output/time.js';

interface Related {
  title: string;
  /** Name and state. */
  rows: (readonly [name: string, state: string, ...more: string[]])[];
}

/** The resources that a resource was made from and those made from it, found by their fields. */
export async function findRelated(slipway: Slipway, entity: Entity, signal: AbortSignal): Promise<Related[]> {
  const all = async <K extends Kind>(kind: K, matches: (other: Entity<K>) => boolean): Promise<Entity[]> =>
    (await slipway.reader(kind).list({}, { signal })).filter(matches);

  const naming = async (needs: (names: PipelineNames) => boolean): Promise<Entity[]> => {
    const { namesOfPipeline } = await import('../../lifecycle/kinds/pipeline-names.js');
    // The server shows a pipeline as it stores it.
    return all('ModelPipeline', (pipeline) => needs(namesOfPipeline(pipeline as unknown as Pipeline)));
  };

  switch (entity.kind) {
    case 'ModelTraining': {
      const made = entity.status.artifacts.map(({ artifactName }) => artifactName);
      return [toRelated('Packaged by', await all('ModelPackaging', ({ spec }) => made.includes(spec.artifactName)))];
    }
    case 'ModelPackaging': {
      const { artifactName } = entity.spec;
      const trainings = await all('ModelTraining', ({ status }) => status.artifactName === artifactName);
      const deployments = await all('ModelDeployment', ({ spec }) => isPackedImage(entity.status, spec.image));
      return [toRelated('Trained by', trainings), toRelated('Deployed by', deployments)];
    }
    case 'ModelDeployment': {
      const packagings = await all('ModelPackaging', ({ status }) => isPackedImage(status, entity.spec.image));
      const routes = await all('ModelRoute', ({ spec }) =>
        spec.modelDeployments.some(({ mdName }) => mdName === entity.id),
      );
      return [toRelated('Packaged by', packagings), toRelated('Reached by', routes)];
    }
    case 'InferenceService': {
      const jobs = await slipway.entities('InferenceJob').list({ inferenceServiceId: [entity.id] }, { signal });
      return [toRelated('Jobs', jobs.slice(-10))];
    }
    case 'InferenceJob': {
      const { inferenceServiceId } = entity.spec;
      return [toRelated('Made of', await all('InferenceService', ({ id }) => id === inferenceServiceId))];
    }
    case 'ModelPipeline': {
      const runs = await slipway.runs.list({ pipeline: [entity.id] }, { signal });
      return [toRelated('Runs', runs.slice(0, 10))];
    }
    case 'PipelineRun':
      return [{ title: 'Steps', rows: entity.status.steps.map(stepRow) }];
    case 'ModelRoute': {
      const targets = entity.spec.modelDeployments.map(({ mdName }) => mdName);
      return [toRelated('Leads to', await all('ModelDeployment', ({ id }) => targets.includes(id)))];
    }
    case 'ToolchainIntegration': {
      const trainings = await slipway.entities('ModelTraining').list({ toolchain: [entity.id] }, { signal });
      const pipelines = await naming(({ toolchain }) => toolchain === entity.id);
      return [toRelated('Used by', [...trainings, ...pipelines])];
    }
    case 'PackagingIntegration': {
      const filter = { integrationName: [entity.id] };
      const packagings = await slipway.entities('ModelPackaging').list(filter, { signal });
      const pipelines = await naming(({ packager }) => packager === entity.id);
      return [toRelated('Used by', [...packagings, ...pipelines])];
    }
    case 'Dataset':
    case 'ApiKey':
    case 'Subscription':
    case 'Watch':
      return [];
    case 'Connection': {
      const { id } = entity;
      const trainings = await all(
        'ModelTraining',
        ({
          spec: {
            algorithmSource: { vcs, objectStorage },
            data,
            envs,
            outputConnection,
          },
        }) =>
          [
            vcs.connection,
            objectStorage.connection,
            outputConnection,
            ...data.map(({ connection }) => connection),
            ...envs.map(({ valueFrom }) => valueFrom?.connection),
          ].includes(id),
      );
      const packagings = await all('ModelPackaging', ({ spec }) =>
        [spec.outputConnection, ...spec.targets.map(({ connectionName }) => connectionName)].includes(id),
      );
      const deployments = await all('ModelDeployment', ({ spec }) => spec.imagePullConnID === id);
      const pipelines = await naming(({ connections }) => connections.includes(id));
      return [toRelated('Used by', [...trainings, ...packagings, ...deployments, ...pipelines])];
    }
  }
}

type PipelineStep = Entity<'PipelineRun'>['status']['steps'][number];

function stepRow({ name, state, startedAt, finishedAt, child, reusedFrom, reuseMiss, message }: PipelineStep) {
  const took = finishedAt === undefined ? '' : duration(Date.parse(finishedAt) - Date.parse(startedAt));
  const work = reusedFrom === undefined ? (child ?? '') : `reused ${reusedFrom}`;
  const miss = reuseMiss && `not reused, ${reuseMiss}`;
  return [name, state, took, [work, message ?? miss].filter(Boolean).join(': ')] as const;
}

const toRelated = (title: string, entities: readonly Entity[]): Related => ({
  title,
  rows: entities.map((entity) => [nameOf(entity), stateOf(entity)]),
});
