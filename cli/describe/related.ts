import { stateOf, type Entity, type Kind, type Slipway } from '../../client/index.js';
import { nameOf } from '../kinds.js';

interface Related {
  title: string;
  /** Name and state. */
  rows: [name: string, state: string][];
}

/** What an entity was made of, and what was made of it, as the fields of all of them tell. */
export async function findRelated(slipway: Slipway, entity: Entity, signal: AbortSignal): Promise<Related[]> {
  const all = async <K extends Kind>(kind: K, matches: (other: Entity<K>) => boolean): Promise<Entity[]> =>
    (await slipway.entities(kind).list({}, { signal })).filter(matches);

  switch (entity.kind) {
    case 'ModelTraining': {
      const made = entity.status.artifacts.map(({ artifactName }) => artifactName);
      return [toRelated('Packaged by', await all('ModelPackaging', ({ spec }) => made.includes(spec.artifactName)))];
    }
    case 'ModelPackaging': {
      const { artifactName } = entity.spec;
      const image = entity.status.results[0]?.value;
      const trainings = await all('ModelTraining', ({ status }) => status.artifactName === artifactName);
      const deployments = await all('ModelDeployment', ({ spec }) => image !== undefined && spec.image === image);
      return [toRelated('Trained by', trainings), toRelated('Deployed by', deployments)];
    }
    case 'ModelDeployment': {
      const packagings = await all('ModelPackaging', ({ status }) => status.results[0]?.value === entity.spec.image);
      const routes = await all('ModelRoute', ({ spec }) =>
        spec.modelDeployments.some(({ mdName }) => mdName === entity.id),
      );
      return [toRelated('Packaged by', packagings), toRelated('Reached by', routes)];
    }
    case 'ModelRoute': {
      const targets = entity.spec.modelDeployments.map(({ mdName }) => mdName);
      return [toRelated('Leads to', await all('ModelDeployment', ({ id }) => targets.includes(id)))];
    }
    case 'ToolchainIntegration':
      return [
        toRelated('Used by', await slipway.entities('ModelTraining').list({ toolchain: [entity.id] }, { signal })),
      ];
    case 'PackagingIntegration': {
      const filter = { integrationName: [entity.id] };
      return [toRelated('Used by', await slipway.entities('ModelPackaging').list(filter, { signal }))];
    }
    case 'Connection': {
      const { id } = entity;
      const trainings = await all(
        'ModelTraining',
        ({
          spec: {
            algorithmSource: { vcs, objectStorage },
            data,
            outputConnection,
          },
        }) =>
          [
            vcs.connection,
            objectStorage.connection,
            outputConnection,
            ...data.map(({ connection }) => connection),
          ].includes(id),
      );
      const packagings = await all('ModelPackaging', ({ spec }) =>
        [spec.outputConnection, ...spec.targets.map(({ connectionName }) => connectionName)].includes(id),
      );
      const deployments = await all('ModelDeployment', ({ spec }) => spec.imagePullConnID === id);
      return [toRelated('Used by', [...trainings, ...packagings, ...deployments])];
    }
  }
}

const toRelated = (title: string, entities: readonly Entity[]): Related => ({
  title,
  rows: entities.map((entity) => [nameOf(entity), stateOf(entity)]),
});
