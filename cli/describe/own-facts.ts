import type { Entity, Kind } from '../../client/index.js';
import { asksForApproval } from '../../lifecycle/kinds/approvals.js';
import { periodOf, scopeOf } from '../output/watch-words.js';
import { rolloutIn } from '../rollout-line.js';

/** A name and its value; what has no value is left out. */
export type Fact = [name: string, value: string];

/** Facts that only one kind has. */
const FACTS: { [K in Kind]: (entity: Entity<K>) => Fact[] } = {
  ModelTraining({ spec, status }) {
    const { vcs, objectStorage } = spec.algorithmSource;
    const commit = status.artifacts[0]?.commitID;
    return [
      ['model', `${spec.model.name} ${spec.model.version}`],
      [
        'source',
        joined([vcs.connection ?? objectStorage.connection, vcs.reference ?? objectStorage.path, commit?.slice(0, 12)]),
      ],
      ['toolchain', spec.toolchain],
      ['data', spec.data.map(({ connection, localPath }) => `${connection} in ${localPath}`).join(', ')],
      ['parameters', pairs(status.parameters ?? spec.hyperParameters)],
      ['metrics', pairs(status.metrics ?? {})],
      ['artifact', status.artifactName ?? ''],
    ];
  },
  ModelPackaging: ({ spec, status }) => [
    ['artifact', spec.artifactName],
    ['packager', spec.integrationName],
    ['arguments', pairs(spec.arguments)],
    ['targets', spec.targets.map(({ name, connectionName }) => `${name} to ${connectionName}`).join(', ')],
    ...status.results.map(({ name, value }): Fact => [name, value]),
  ],
  ModelDeployment: ({ spec, status }) => [
    [
      'replicas',
      `${status.availableReplicas} of ${status.replicas} ready (${spec.minReplicas} to ${spec.maxReplicas} wanted)`,
    ],
    ['suspended', spec.suspended ? 'calls are refused; "slipway resume" starts it again' : ''],
    ['model', joined([status.modelName, status.modelVersion])],
    ['image', spec.image],
    ['digest', status.imageDigest ?? ''],
    ['warning', status.warning ?? ''],
    ['rollout', status.rollout === undefined ? '' : rolloutIn(status)],
    ['roles', [spec.roleName, ...(spec.roles ?? [])].join(', ')],
    ['recorded', spec.feedback ? 'requests, answers and feedback' : 'nothing'],
    ['redacted', (spec.feedback && spec.records?.redact?.join(', ')) || ''],
    [
      'protected',
      spec.protected ? `changed by ${spec.pipeline ? `pipeline/${spec.pipeline} and admins` : 'admins'}` : '',
    ],
  ],
  ModelRoute: ({ spec, status }) => [
    ['address', status.edgeUrl],
    ['targets', spec.modelDeployments.map(({ mdName, weight }) => `${mdName} ${weight}%`).join(', ')],
    ['mirror', spec.mirror ?? ''],
    [
      'sticky by',
      Object.entries(spec.sticky)
        .map(([by, name]) => `${by} ${name}`)
        .join(),
    ],
  ],
  ModelPipeline: ({ spec: { training, parameters, version, packaging, deployment, gates, triggers }, status }) => [
    ['model', `${training.model.name} ${version}`],
    ['parameters', pairs(parameters)],
    ['packager', packaging.integrationName],
    ['deployment', deployment.id],
    ['gates', gatesOf(gates)],
    ['schedule', joined([triggers.schedule.cron, triggers.schedule.cron && triggers.schedule.timeZone])],
    [
      'paused',
      status.paused === undefined
        ? ''
        : joined([`by ${status.paused.by}`, status.paused.note && `: ${status.paused.note}`]),
    ],
    ['triggers', triggersOf(triggers)],
    [
      'refused',
      status.refused === undefined
        ? ''
        : `${status.refused.trigger} at ${status.refused.at}: ${status.refused.message}`,
    ],
    ['runs', String(status.lastRun)],
  ],
  PipelineRun: ({ spec, status }) => [
    ['pipeline', `${spec.pipeline}, run ${spec.number}`],
    ['trigger', triggerOf(spec.trigger)],
    ['parameters', pairs(spec.parameters)],
    ['model', joined([status.modelName, status.modelVersion])],
    ['commit', status.commit ?? ''],
    ['metrics', pairs(status.metrics ?? {})],
    ...status.gates.map(({ gate, passed, message }): Fact => [
      `gate ${gate}`,
      `${passed ? 'passed' : 'failed'}: ${message}`,
    ]),
    [
      'approval',
      status.approval === undefined
        ? ''
        : `${status.approval.decision} by ${status.approval.by}: ${status.approval.reason}`,
    ],
    ['artifact', status.artifactName ?? ''],
    ['image', status.image ?? ''],
    ['deployment', status.deployed?.id ?? ''],
  ],
  Connection({ spec }) {
    const secrets = (['username', 'password', 'keyID', 'keySecret'] as const).filter(
      (name) => spec[name] !== undefined,
    );
    return [
      ['type', spec.type],
      ['uri', spec.uri],
      ['reference', spec.reference ?? ''],
      ['description', spec.description ?? ''],
      ['credentials', secrets.join(', ')],
      ['secrets for', (spec.usableIn ?? []).join(', ')],
      ['vital', spec.vital ? 'it cannot be deleted' : ''],
    ];
  },
  InferenceService: ({ spec }) => [
    ['image', spec.image],
    ['program', [...spec.command, ...spec.args].join(' ')],
    ['model', modelOf(spec.modelRegistry)],
    ['input', folderOf(spec.dataSource)],
    ['output', folderOf(spec.outputDestination)],
    ['closed', spec.triggers.webhook.enabled ? '' : 'no job can be created'],
  ],
  InferenceJob: ({ id, spec, status }) => [
    ['service', spec.inferenceServiceId],
    ['files', status.files === undefined ? '' : `${status.files.done} of ${status.files.total} done`],
    ['input', folderOf(spec.dataSource)],
    ['output', `${folderOf(spec.outputDestination)}/${id}`],
    ['request', spec.requestId ?? ''],
  ],
  ToolchainIntegration: ({ spec }) => [
    ['entrypoint', spec.entrypoint],
    ['image', spec.defaultImage],
    ['environment', pairs(spec.additionalEnvironments)],
  ],
  Dataset: ({ spec, status }) => [
    ['title', spec.title ?? ''],
    ['rows', String(status.rows)],
    ['version', `${status.version}${status.pinned ? ', pinned' : ''}`],
    ['held by', status.held_by ?? ''],
    ['blocked', status.blocked === undefined ? '' : JSON.stringify(status.blocked)],
    ['fields', pairs(mapValues(spec.fields ?? {}, ({ type }) => type))],
    ['lookup', spec.lookup?.fields?.join(', ') ?? ''],
    ['validators', (spec.validators ?? []).map(({ rule }) => rule).join(', ')],
  ],
  ApiKey: ({ spec, status }) => [
    ['name', spec.name],
    ['scopes', spec.scopes.join(', ')],
    ['origins', (spec.origins ?? []).join(', ')],
    ['expires', spec.expires_at ?? 'never'],
    ['last used', status.last_used_at ?? 'never'],
  ],
  Subscription: ({ spec, status }) => [
    ['name', spec.name],
    ['to', spec.url ?? `the feed: mode ${spec.mode}`],
    ['types', spec.types.join(', ')],
    ['filter', spec.filter ?? ''],
    ['level', status.level.proven ?? ''],
    ['trouble', status.failing?.reason ?? status.fault?.reason ?? ''],
    ['deliveries', pairs(status.counts)],
  ],
  Watch: ({ spec, status }) => [
    ['name', spec.name],
    ['observes', scopeOf(spec)],
    ['filter', spec.scope.filter ?? ''],
    ['each', spec.each],
    ['period', periodOf(spec)],
    ['evaluation', joined([status.evaluation?.state, status.evaluation?.note])],
    ['next due', status.evaluation?.next_due_at ?? ''],
  ],
  PackagingIntegration: ({ spec: { entrypoint, defaultImage, schema } }) => [
    ['entrypoint', entrypoint],
    ['image', defaultImage],
    ['targets', schema.targets.map(({ name, required }) => `${name}${required ? ' (required)' : ''}`).join(', ')],
    ['arguments', schema.arguments.properties.map(({ name }) => name).join(', ')],
  ],
};

const folderOf = ({ connection, path }: Entity<'InferenceJob'>['spec']['dataSource']): string =>
  connection === undefined ? '' : [connection, path].filter(Boolean).join('/');

const modelOf = ({ remote, local }: Entity<'InferenceService'>['spec']['modelRegistry']): string =>
  remote.modelConnection === undefined
    ? joined([local.meta.name, local.meta.version])
    : folderOf({ connection: remote.modelConnection, path: remote.modelPath });

export function ownFacts(entity: Entity): Fact[] {
  const facts = FACTS[entity.kind] as (entity: Entity) => Fact[]; // the row is that of its kind
  return facts(entity);
}

const triggerOf = ({ type, by, message }: Entity<'PipelineRun'>['spec']['trigger']): string =>
  `${joined([type, by && `by ${by}`])}${message === undefined ? '' : `: ${message}`}`;

type PipelineSpec = Entity<'ModelPipeline'>['spec'];

const limits = ({ min, max }: { min?: number; max?: number }): string =>
  joined([min !== undefined && `at least ${min}`, max !== undefined && `at most ${max}`]);

const gatesOf = ({ metrics, serving, heldOut, approval }: PipelineSpec['gates']): string =>
  [
    ...metrics.map(({ metric, ...bounds }) => `${metric} ${limits(bounds)}`),
    ...serving.map(({ metric }) => `${metric} better than what serves`),
    ...(heldOut.path === undefined ? [] : [`${heldOut.metric} of the held-out set ${limits(heldOut)}`]),
    ...(asksForApproval(approval) ? ['approval'] : []),
  ].join(', ');

const triggersOf = ({ feedback, drift, data, webhook }: PipelineSpec['triggers']): string =>
  [
    ...(feedback.records > 0 ? [`${feedback.records} feedback records`] : []),
    ...(drift.measure === undefined ? [] : [`${drift.measure} above ${drift.limit}`]),
    ...(data ? ['new data'] : []),
    ...(webhook.enabled ? ['webhook'] : []),
  ].join(', ');

const joined = (parts: readonly (string | undefined | false)[]): string => parts.filter(Boolean).join(' ');

const mapValues = <Value, Result>(given: Record<string, Value>, change: (value: Value) => Result) =>
  Object.fromEntries(Object.entries(given).map(([key, value]) => [key, change(value)]));

const pairs = (values: Readonly<Record<string, unknown>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
