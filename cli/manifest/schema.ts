import { closestMatch } from 'leven';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { JsonSchema } from '../../openapi/json-schema.js';
import { KIND_ROWS } from '../../openapi/lifecycle/kinds.js';
import { bodySchema } from '../../openapi/lifecycle/schemas.js';
import { manifestBody, REFERENCE_ROWS } from '../../openapi/reference/kinds.js';
import { findKind } from '../kinds.js';
import { toTable } from '../output/table.js';

/** The schema of manifests: of one kind, or of each kind by its name. @throws validation_failed */
export function manifestSchema(word: string | undefined): JsonSchema {
  const $schema = 'https://json-schema.org/draft/2020-12/schema';
  if (word !== undefined) return { $schema, ...ofKind(rowOf(word)) } as JsonSchema;
  return { $schema, oneOf: ROWS.map(ofKind) } as JsonSchema;
}

interface Row {
  kind: string;
  about: string;
  body: () => JsonSchema;
}

const ROWS: readonly Row[] = [
  ...KIND_ROWS.map((row) => ({ kind: row.kind, about: row.about, body: () => bodySchema(row) })),
  ...REFERENCE_ROWS.map((row) => ({ kind: row.kind, about: row.about, body: () => manifestBody(row) })),
];

const ofKind = ({ about, body }: Row): JsonSchema => ({
  ...body(),
  description: about,
  required: ['kind', ...(body().required ?? [])],
});

function rowOf(word: string): Row {
  const kind = findKind(word);
  const row = ROWS.find((each) => each.kind === kind);
  if (row === undefined) throw new SlipwayError('validation_failed', `no manifest describes a ${word}`);
  return row;
}

/** Explains `training.data.connection`, with or without `spec`. @throws validation_failed */
export function explainField(path: string): string {
  const [word = '', ...given] = path.split('.');
  const names = given[0] === 'spec' ? given.slice(1) : given;
  const row = rowOf(word);
  const spec = row.body().properties?.spec as JsonSchema; // every body has one
  const field = names.reduce((node, name) => within(node, name), spec);
  const fields = Object.entries(fieldsOf(field));
  const { required = [] } = itemOf(field);
  const about = names.length === 0 ? row.about : (field.description ?? '');
  const head = `${[row.kind, 'spec', ...names].join('.')}  ${typeOf(field)}`;
  const lines = fields.map(([name, each]) => [
    `  ${name}`,
    `${typeOf(each)}${required.includes(name) ? ', required' : ''}`,
    each.description ?? '',
  ]);
  const table = lines.length === 0 ? '' : `\nfields:\n${toTable(lines)}`;
  return `${head}\n${about === '' ? '' : `${about}\n`}${table}`.trimEnd();
}

function within(node: JsonSchema, name: string): JsonSchema {
  const fields = fieldsOf(node);
  const found = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (found !== undefined) return found;
  const known = Object.keys(fields);
  const nearest = closestMatch(name, known, { maxDistance: 3 });
  const hint = nearest === undefined ? `fields are ${known.join(', ') || 'none'}` : `did you mean ${nearest}?`;
  throw new SlipwayError('validation_failed', `there is no field "${name}": ${hint}`);
}

const itemOf = (node: JsonSchema): JsonSchema => (node.items === undefined ? node : (node.items as JsonSchema));

/** The forms that a value may have, without null. */
const formsOf = (node: JsonSchema): JsonSchema[] =>
  ((node.anyOf ?? node.oneOf ?? [node]) as JsonSchema[]).filter(({ type }) => type !== 'null');

const fieldsOf = (node: JsonSchema): Record<string, JsonSchema> =>
  Object.assign({}, ...formsOf(itemOf(node)).map(({ properties }) => properties)) as Record<string, JsonSchema>;

/** The type in words, with the values that are allowed and the default. */
function typeOf(node: JsonSchema): string {
  const type = node.items === undefined ? wordOf(node) : `list of ${wordOf(itemOf(node))}`;
  const values = node.enum === undefined ? '' : ` (${node.enum.join(', ')})`;
  const isPlain = ['string', 'number', 'boolean'].includes(typeof node.default);
  return `${type}${values}${isPlain ? `, default ${String(node.default)}` : ''}`;
}

const wordOf = (node: JsonSchema): string => [...new Set(formsOf(node).map(wordOfForm))].join(' or ');

function wordOfForm({ type, properties }: JsonSchema): string {
  if (type === 'string') return 'text';
  if (type === 'object') return properties === undefined ? 'map' : 'object';
  return typeof type === 'string' ? type : 'any';
}
