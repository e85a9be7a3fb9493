import type { z } from 'zod';
import { KINDS, type Kind } from './resource.js';
import { type Issue, SlipwayError, validationError } from './errors.js';
import { ignoredFields } from './ignored-fields.js';
import { isRecord, NO_NUMBER, toList } from './lenient.js';
import { isNothing, unknownField, unknownFields } from './unknown-fields.js';

/** A resource that a client wants to store: read, but not validated yet. */
export interface Candidate<Spec> {
  id: string;
  /** A field of a wrong type is absent here. */
  spec: Spec;
  /** One for each field of a wrong type, in the order of the fields. */
  misfits: readonly Issue[];
}

/** How the list of what is wrong begins. */
// prettier-ignore
export const PREFIXES = {
  Connection:           'Validation of connection is failed',
  ToolchainIntegration: 'Validation of toolchain integration is failed',
  PackagingIntegration: 'Validation of packaging integration is failed',
  ModelTraining:        'Validation of model training is failed',
  ModelPackaging:       'Validation of model packaging is failed',
  ModelDeployment:      'Validation of model deployment is failed',
  ModelRoute:           'Validation of model route is failed',
  ModelPipeline:        'Validation of model pipeline is failed',
  PipelineRun:          'Validation of pipeline run is failed',
  InferenceService:     'Validation of inference service is failed',
  InferenceJob:         'Validation of inference job is failed',
  FeedConsumer:         'Validation of feed consumer is failed',
  Subscription:         'Validation of subscription is failed',
  Watch:                'Validation of watch is failed',
} as const satisfies Record<Kind, string>;

const MOST_MISFITS = 100;

/**
 * Reads the body of a create or an update as tolerantly as clients need it; a wrong type is noted, not thrown.
 * @throws bad_json when the body is no object; validation_failed when it is of another kind
 */
export function readCandidate<Schema extends z.ZodType>(
  kind: Kind,
  schema: Schema,
  body: unknown,
): Candidate<z.infer<Schema>> {
  if (!isRecord(body)) throw new SlipwayError('bad_json', 'the body must be a JSON object');
  refuseOtherKind(kind, body.kind);
  const { spec, misfits: wrongTypes } = readSpec(schema, body.spec);
  const misfits = [...wrongTypes, ...refusedFields(kind, schema, body)].slice(0, MOST_MISFITS);
  if (typeof body.id === 'string') return { id: body.id, spec, misfits };
  const isAbsent = body.id === undefined || body.id === null;
  return { id: '', spec, misfits: isAbsent ? misfits : [misfit(['id'], 'must be text'), ...misfits] };
}

/** Fields of the body and its spec that this kind does not have. */
function refusedFields(kind: Kind, schema: z.ZodType, { spec, ...envelope }: Record<string, unknown>): Issue[] {
  const ignored = new Set(ignoredFields(kind, { spec, ...envelope }));
  const ofEnvelope = Object.entries(envelope)
    .filter(([name, value]) => !isNothing(name, value) && !ENVELOPE.includes(name))
    .slice(0, MOST_MISFITS)
    .map(([name]) => unknownField([name], ENVELOPE));
  return [...ofEnvelope, ...take(unknownFields(schema, spec, ['spec']), MOST_MISFITS)].filter(
    ({ path }) => !ignored.has(path),
  );
}

function take<Item>(items: Iterable<Item>, most: number): Item[] {
  const taken: Item[] = [];
  for (const item of items) {
    if (taken.length === most) break;
    taken.push(item);
  }
  return taken;
}

/** Fields beside the spec; all but `kind` and `id` are written by the server and ignored in a body. */
const ENVELOPE: readonly string[] = [
  ...['kind', 'id', 'spec', 'status', 'generation', 'createdAt', 'updatedAt', 'createdBy', 'updatedBy'],
  ...['default', 'deletionMark'],
];

/** An unknown kind is ignored. */
function refuseOtherKind(kind: Kind, given: unknown): void {
  const other = KINDS.find((known) => known === given && known !== kind);
  if (other === undefined) return;
  const message = `kind ${other} does not belong here, this collection holds ${kind}`;
  throw validationError(PREFIXES[kind], [{ path: 'kind', code: 'wrong_kind', message }]);
}

/** Notes and removes fields of a wrong type, and reads the rest again; an empty spec can always be read. */
function readSpec<Schema extends z.ZodType>(
  schema: Schema,
  given: unknown,
): { spec: z.infer<Schema>; misfits: Issue[] } {
  const result = schema.safeParse(given);
  if (result.success) return { spec: result.data, misfits: [] };
  const { issues } = result.error;
  const paths = issues.map(({ path }) => path);
  return { spec: schema.parse(without(given, paths)), misfits: misfitsOf(result.error, ['spec']) };
}

/** Issues of fields with a wrong type. @param path of the part that was read */
export const misfitsOf = ({ issues }: z.ZodError, path: readonly string[] = []): Issue[] =>
  issues.slice(0, MOST_MISFITS).map((issue) => misfit([...path, ...issue.path], toWords(issue)));

const misfit = (path: readonly PropertyKey[], text: string): Issue => {
  const dotted = path.map(String).join('.');
  return { path: dotted, code: 'wrong_type', message: `${dotted} ${text}` };
};

// prettier-ignore
const WORDS: Readonly<Record<string, string>> = {
  string:  'must be text',
  number:  'must be an integer',
  int:     'must be an integer',
  boolean: 'must be true or false',
  object:  'must be an object',
  record:  'must be an object',
  array:   'must be a list',
};

function toWords(issue: z.core.$ZodIssue): string {
  if (issue.message === NO_NUMBER) return NO_NUMBER;
  if (issue.code === 'invalid_type') return WORDS[issue.expected] ?? 'has a wrong type';
  if (issue.code === 'too_big' && issue.origin === 'array') return `must have at most ${issue.maximum} entries`;
  if (issue.code === 'too_big' || issue.code === 'too_small') return 'must be an integer of 32 bits';
  return issue.message;
}

/** A copy in which the values at these paths are absent; as deep as the schema, whatever the value is. */
function without(value: unknown, paths: readonly (readonly PropertyKey[])[]): unknown {
  if (paths.length === 0) return value;
  if (paths.some((path) => path.length === 0)) return undefined;
  const inner = new Map<string, (readonly PropertyKey[])[]>();
  for (const [key, ...rest] of paths) getOrAdd(inner, String(key)).push(rest);
  const change = ([key, entry]: [string, unknown]): [string, unknown] => [key, without(entry, inner.get(key) ?? [])];
  const entries = Object.entries(toList(value) ?? {}).map(change);
  return Array.isArray(value) ? entries.map(([, entry]) => entry) : Object.fromEntries(entries);
}

function getOrAdd<Value>(map: Map<string, Value[]>, key: string): Value[] {
  const values = map.get(key) ?? [];
  if (values.length === 0) map.set(key, values);
  return values;
}
