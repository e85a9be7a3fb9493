import { closestMatch } from 'leven';
import type { Kind, WritableKind } from '../client/index.js';
import { SlipwayError } from '../platform/kinds/errors.js';

/** A kind as the command line names it. The order is that of dependency: a kind never needs one below it. */
interface KindWords {
  kind: Kind;
  /** The word that output uses: `training/wine`. */
  word: string;
  plural: string;
  short: readonly string[];
}

// prettier-ignore
export const KIND_WORDS: readonly KindWords[] = [
  { kind: 'Connection',           word: 'connection',            plural: 'connections',            short: ['conn'] },
  { kind: 'ToolchainIntegration', word: 'toolchain-integration', plural: 'toolchain-integrations', short: ['toolchain', 'ti'] },
  { kind: 'PackagingIntegration', word: 'packaging-integration', plural: 'packaging-integrations', short: ['packager', 'pi'] },
  { kind: 'ModelTraining',        word: 'training',              plural: 'trainings',              short: ['train', 'tr'] },
  { kind: 'ModelPackaging',       word: 'packaging',             plural: 'packagings',             short: ['pack', 'pk'] },
  { kind: 'ModelDeployment',      word: 'deployment',            plural: 'deployments',            short: ['deploy', 'dep'] },
  { kind: 'ModelRoute',           word: 'route',                 plural: 'routes',                 short: ['rt'] },
  { kind: 'ModelPipeline',        word: 'pipeline',              plural: 'pipelines',              short: ['pl'] },
  { kind: 'Dataset',              word: 'dataset',               plural: 'datasets',               short: ['ds'] },
  { kind: 'ApiKey',               word: 'key',                   plural: 'keys',                   short: ['api-key'] },
  { kind: 'Subscription',         word: 'subscription',          plural: 'subscriptions',          short: ['sub'] },
  { kind: 'Watch',                word: 'watch',                 plural: 'watches',                short: [] },
  { kind: 'InferenceService',     word: 'inference-service',     plural: 'inference-services',     short: ['is'] },
  { kind: 'InferenceJob',         word: 'inference-job',         plural: 'inference-jobs',         short: ['job', 'ij'] },
  { kind: 'PipelineRun',          word: 'run',                   plural: 'runs',                   short: ['pipeline-run'] },
];

const allWords = ({ kind, word, plural, short }: KindWords): string[] => [word, plural, ...short, kind.toLowerCase()];

/** Words of things that manifests do not describe, and the command that shows them. */
const OWN_COMMANDS: ReadonlyMap<string, string> = new Map([
  ['import', 'imports'],
  ['imports', 'imports'],
  ['row', 'rows'],
  ['rows', 'rows'],
  ['delivery', 'delivery'],
  ['deliveries', 'delivery'],
]);

/** @throws validation_failed, with the nearest word */
export function findKind(given: string): Kind {
  const row = KIND_WORDS.find((each) => allWords(each).includes(given.toLowerCase()));
  if (row !== undefined) return row.kind;
  const command = OWN_COMMANDS.get(given.toLowerCase());
  if (command !== undefined)
    throw new SlipwayError('validation_failed', `"${given}" has a command of its own: see "slipway ${command} --help"`);
  const nearest = closestMatch(given.toLowerCase(), KIND_WORDS.flatMap(allWords), {
    // In a short name, a suggestion would change nearly all letters.
    maxDistance: Math.min(3, Math.floor(given.length / 3)),
  });
  const known = KIND_WORDS.map(({ plural }) => plural).join(', ');
  if (given === '') throw new SlipwayError('validation_failed', `which kind? Kinds are ${known}`);
  const hint = nearest === undefined ? `kinds are ${known}` : `did you mean ${nearest}?`;
  throw new SlipwayError('validation_failed', `unknown kind "${given}": ${hint}`);
}

export const wordOf = (kind: Kind): string => KIND_WORDS.find((row) => row.kind === kind)?.word ?? kind;

export const pluralOf = (kind: Kind): string => KIND_WORDS.find((row) => row.kind === kind)?.plural ?? kind;

/** How output names one entity: `training/wine`. A job has no id before it is made. */
export const nameOf = ({ kind, id }: { kind: Kind; id: string }): string =>
  id === '' ? wordOf(kind) : `${wordOf(kind)}/${id}`;

/** Whether the server draws the id of each new one, which is never changed. */
export const drawsId = (kind: Kind): boolean => kind === 'InferenceJob';

/** Whether clients create it; runs of pipelines are made by the server. */
export const isWritable = (kind: Kind): kind is WritableKind => kind !== 'PipelineRun';

/** Position in the order of dependency. */
export const rankOf = (kind: Kind): number => KIND_WORDS.findIndex((row) => row.kind === kind);

export interface Target {
  kind: Kind;
  id: string;
}

/** `training wine iris`, or `training/wine deployment/wine`. @throws validation_failed */
export function parseTargets(words: readonly string[]): Target[] {
  const [first = '', ...rest] = words;
  const pairs = first.includes('/') ? words.map(splitPair) : rest.map((id) => ({ kind: findKind(first), id }));
  if (pairs.length > 0) return pairs;
  if (first !== '') findKind(first);
  throw new SlipwayError(
    'validation_failed',
    `name what you mean: "${first || 'training'} <id>" or "${first || 'training'}/<id>"`,
  );
}

/** @throws validation_failed when it is not exactly one */
export function parseTarget(words: readonly string[]): Target {
  const [target, ...others] = parseTargets(words);
  if (target !== undefined && others.length === 0) return target;
  throw new SlipwayError('validation_failed', `name one entity only, not ${words.join(' ')}`);
}

function splitPair(text: string): Target {
  const [kind = '', id = '', ...more] = text.split('/');
  if (id !== '' && more.length === 0) return { kind: findKind(kind), id };
  throw new SlipwayError('validation_failed', `"${text}" has not the form <kind>/<id>`);
}
