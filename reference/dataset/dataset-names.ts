/** Words that a dataset or a field cannot have as its name; schema-free, so that every layer may ask. */

const NAME = /^[a-z][a-z0-9_]{0,62}$/;

/** Paths under `/v2` that are no dataset. */
const TAKEN_PATHS: ReadonlySet<string> = new Set([
  'datasets',
  'keys',
  'graphql',
  'subscriptions',
  'deliveries',
  'feed',
  'watches',
  'event-types',
  'problems',
  'health',
  'openapi',
  'pipeline',
  'watch',
  'ops',
]);

/** Members that every row has beside its own. */
export const ROW_MEMBERS = ['id', 'version', 'created_at', 'updated_at'] as const;

/** Names reserved in addition to those: the `match` of a lookup hit and the words of the filter language. */
const TAKEN_FIELDS: ReadonlySet<string> = new Set([...ROW_MEMBERS, 'match', 'and', 'or', 'not']);

/** @returns a sentence on why this cannot be the name of a dataset */
export function datasetNameProblem(name: string): string | undefined {
  if (TAKEN_PATHS.has(name)) return `"${name}" is a path of the service itself`;
  return NAME.test(name) ? undefined : 'a dataset is named with a-z, 0-9 and _, from a letter on, at most 63 in all';
}

/** @returns a sentence on why this cannot be the name of a field; `top`: it is a sibling of the row's id */
export function fieldNameProblem(name: string, { top }: { top: boolean }): string | undefined {
  if (top && TAKEN_FIELDS.has(name)) return `"${name}" is reserved`;
  return NAME.test(name) ? undefined : 'a field is named with a-z, 0-9 and _, from a letter on, at most 63 in all';
}
