import { outcomeOf, type Entity } from '../../client/index.js';
import { nameOf } from '../kinds.js';
import { duration } from '../output/time.js';
import type { Terminal } from '../terminal.js';

/** How an entity came to its end, for a person. */
export function reportEnd({ note, paintNote }: Terminal, entity: Entity): void {
  const name = nameOf(entity);
  const { status } = entity;
  if (outcomeOf(entity) === 'succeeded') return note(`${name} ${paintNote('green', wordOf(entity))}${tookOf(status)}`);
  const reason = 'reason' in status && status.reason !== undefined ? `: ${status.reason}` : '';
  const message = 'message' in status && status.message !== undefined ? `: ${status.message}` : '';
  note(`${name} ${paintNote('red', 'failed')}${tookOf(status)}${reason}${message}`);
  const child = failedChildOf(entity);
  if (child !== undefined) note(`complete log: slipway logs ${child}`);
  if (!('logTail' in status) || status.logTail === undefined || status.reason === 'Cancelled') return;
  note(paintNote('dim', lastLines(status.logTail)));
  note(`complete log: slipway logs ${name}`);
}

/** The training, packaging or deployment that a run of a pipeline failed with. */
const failedChildOf = ({ kind, status }: Entity): string | undefined =>
  kind === 'PipelineRun' && status.reason !== 'Cancelled'
    ? status.steps.find(({ state }) => state === 'failed')?.child
    : undefined;

const wordOf = ({ kind }: Entity): string =>
  kind === 'ModelDeployment' || kind === 'ModelRoute' ? 'is ready' : 'succeeded';

function tookOf(status: Entity['status']): string {
  if (!('startedAt' in status) || status.startedAt === undefined || status.finishedAt === undefined) return '';
  return ` after ${duration(Date.parse(status.finishedAt) - Date.parse(status.startedAt))}`;
}

const lastLines = (text: string): string =>
  text
    .trimEnd()
    .split('\n')
    .slice(-15)
    .map((line) => `  ${line}`)
    .join('\n');

/** The result of a succeeded resource, for scripts: artifact, image or address. */
export function resultOf(entity: Entity, server: string): string {
  switch (entity.kind) {
    case 'ModelTraining':
      return entity.status.artifactName ?? '';
    case 'ModelPackaging':
      return entity.status.results[0]?.value ?? '';
    case 'ModelDeployment':
      return `${server}/model/${entity.id}`;
    case 'ModelRoute':
      return entity.status.edgeUrl;
    case 'PipelineRun':
      return entity.status.image ?? entity.status.artifactName ?? '';
    case 'Connection':
    case 'ToolchainIntegration':
    case 'PackagingIntegration':
    case 'ModelPipeline':
    case 'Dataset':
    case 'ApiKey':
    case 'Subscription':
    case 'Watch':
    case 'InferenceService':
    case 'InferenceJob':
      return entity.id;
  }
}
