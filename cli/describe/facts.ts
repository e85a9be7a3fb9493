import { stateOf, type Entity } from '../../client/index.js';
import { age, clock, duration } from '../output/time.js';

/** A name and its value; what has no value is left out. */
type Fact = [name: string, value: string];

/** What a person wants to know of an entity first. */
export function factsOf(entity: Entity, now: number): Fact[] {
  const { status, generation, createdAt, createdBy, updatedAt, updatedBy } = entity;
  const facts: Fact[] = [
    ['state', stateOf(entity)],
    ['reason', 'reason' in status ? (status.reason ?? '') : ''],
    ['message', 'message' in status ? (status.message ?? '') : ''],
    ['step', 'step' in status ? (status.step ?? '') : ''],
    ['exit code', 'exitCode' in status && status.exitCode ? String(status.exitCode) : ''],
    ['took', tookOf(status, now)],
    ...ownFacts(entity),
    ['created', `${clock(createdAt)} by ${createdBy} (${age(createdAt, now)} ago)`],
    [
      'changed',
      generation > 1 || updatedAt !== createdAt ? `${clock(updatedAt)} by ${updatedBy}, generation ${generation}` : '',
    ],
    ['workflow', 'workflowId' in status ? (status.workflowId ?? '') : ''],
  ];
  return facts.filter(([, value]) => value !== '');
}

function tookOf(status: Entity['status'], now: number): string {
  if (!('startedAt' in status) || status.startedAt === undefined) return '';
  const end = status.finishedAt === undefined ? now : Date.parse(status.finishedAt);
  return duration(end - Date.parse(status.startedAt));
}

function ownFacts(entity: Entity): Fact[] {
  switch (entity.kind) {
    case 'ModelTraining': {
      const { spec, status } = entity;
      const { vcs, objectStorage } = spec.algorithmSource;
      const commit = status.artifacts[0]?.commitID;
      return [
        ['model', `${spec.model.name} ${spec.model.version}`],
        [
          'source',
          joined([
            vcs.connection ?? objectStorage.connection,
            vcs.reference ?? objectStorage.path,
            commit?.slice(0, 12),
          ]),
        ],
        ['toolchain', spec.toolchain],
        ['data', spec.data.map(({ connection, localPath }) => `${connection} in ${localPath}`).join(', ')],
        ['parameters', pairs(status.parameters ?? spec.hyperParameters)],
        ['metrics', pairs(status.metrics ?? {})],
        ['artifact', status.artifactName ?? ''],
      ];
    }
    case 'ModelPackaging': {
      const { spec, status } = entity;
      return [
        ['artifact', spec.artifactName],
        ['packager', spec.integrationName],
        ['arguments', pairs(spec.arguments)],
        ['targets', spec.targets.map(({ name, connectionName }) => `${name} to ${connectionName}`).join(', ')],
        ...status.results.map(({ name, value }): Fact => [name, value]),
      ];
    }
    case 'ModelDeployment': {
      const { spec, status } = entity;
      const { minReplicas, maxReplicas } = spec;
      return [
        [
          'replicas',
          `${status.availableReplicas} of ${status.replicas} ready (${minReplicas} to ${maxReplicas} wanted)`,
        ],
        ['model', joined([status.modelName, status.modelVersion])],
        ['image', spec.image],
        ['role', spec.roleName],
        ['recorded', spec.feedback ? 'requests, answers and feedback' : 'nothing'],
      ];
    }
    case 'ModelRoute':
      return [
        ['address', entity.status.edgeUrl],
        ['targets', entity.spec.modelDeployments.map(({ mdName, weight }) => `${mdName} ${weight}%`).join(', ')],
        ['mirror', entity.spec.mirror ?? ''],
      ];
    case 'Connection': {
      const { type, uri, reference = '', description = '', vital } = entity.spec;
      const secrets = (['username', 'password', 'keyID', 'keySecret'] as const).filter(
        (name) => entity.spec[name] !== undefined,
      );
      return [
        ...([
          ['type', type],
          ['uri', uri],
          ['reference', reference],
          ['description', description],
        ] satisfies Fact[]),
        ['credentials', secrets.join(', ')],
        ['vital', vital ? 'it cannot be deleted' : ''],
      ];
    }
    case 'ToolchainIntegration':
      return [
        ['entrypoint', entity.spec.entrypoint],
        ['image', entity.spec.defaultImage],
        ['environment', pairs(entity.spec.additionalEnvironments)],
      ];
    case 'PackagingIntegration': {
      const { entrypoint, defaultImage, schema } = entity.spec;
      return [
        ['entrypoint', entrypoint],
        ['image', defaultImage],
        ['targets', schema.targets.map(({ name, required }) => `${name}${required ? ' (required)' : ''}`).join(', ')],
        ['arguments', schema.arguments.properties.map(({ name }) => name).join(', ')],
      ];
    }
  }
}

const joined = (parts: readonly (string | undefined)[]): string => parts.filter(Boolean).join(' ');

const pairs = (values: Readonly<Record<string, unknown>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
