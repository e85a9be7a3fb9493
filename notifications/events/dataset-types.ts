import type { DeclaredFields } from '../../reference/dataset/dataset.js';
import { ID, rowBefore, rowReply } from '../../reference/dataset/row-schema.js';
import type { EventType, JsonSchema } from './event-type.js';
import { EXAMPLE_ID, EXAMPLE_TIME, exampleFields } from './example-row.js';

const COUNT: JsonSchema = { type: 'integer', minimum: 1 };
const NOTHING: JsonSchema = { type: 'null' };

/** What a declared dataset tells, in the form that its declaration gives to rows. */
export function datasetTypes(name: string, { fields, generation = 1 }: DeclaredFields): EventType[] {
  const row = rowReply(fields);
  const times = { created_at: EXAMPLE_TIME, updated_at: EXAMPLE_TIME };
  const example = { id: EXAMPLE_ID, ...exampleFields(fields), version: 2, ...times };
  const shared = { name, version: generation };
  return [
    changeType({ ...shared, word: 'created', operation: 'create', entity: row, example: { ...example, version: 1 } }),
    // With `payload` changed it has its id and the changed fields alone.
    changeType({
      ...shared,
      word: 'updated',
      operation: 'update',
      entity: { ...row, required: ['id'] },
      before: rowBefore(fields),
      example,
    }),
    changeType({
      ...shared,
      word: 'deleted',
      operation: 'delete',
      entity: NOTHING,
      before: rowBefore(fields),
      example: null,
    }),
    schemaChanged(name),
    imported(name),
  ];
}

interface ChangeType {
  name: string;
  version: number;
  word: 'created' | 'updated' | 'deleted';
  operation: 'create' | 'update' | 'delete';
  entity: JsonSchema;
  /** Changed fields as they were; a created row had none. */
  before?: JsonSchema;
  example: Record<string, unknown> | null;
}

function changeType({ name, version, word, operation, entity, before = NOTHING, example }: ChangeType): EventType {
  const [changed] = Object.keys(before.properties ?? {});
  const previous = changed === undefined ? null : { [changed]: null };
  return {
    type: `dataset.${name}.${word}`,
    version,
    description: `An entity of ${name} was ${word}.`,
    schema: {
      type: 'object',
      properties: {
        dataset: { type: 'string', const: name },
        entity_id: ID,
        version: { ...COUNT, description: 'Of the entity.' },
        dataset_version: { ...COUNT, description: 'Version of the dataset that has this state.' },
        operation: { type: 'string', const: operation },
        changed: { type: 'array', items: { type: 'string' }, description: 'Names of the changed fields.' },
        previous: { ...before, description: 'Those fields as they were, null where they were absent.' },
        entity,
      },
      required: ['dataset', 'entity_id', 'version', 'dataset_version', 'operation'],
    },
    example: {
      source: `/v2/datasets/${name}`,
      subject: EXAMPLE_ID,
      data: {
        dataset: name,
        entity_id: EXAMPLE_ID,
        version: operation === 'create' ? 1 : 2,
        dataset_version: 902,
        operation,
        changed: previous === null || changed === undefined ? [] : [changed],
        previous: before === NOTHING ? null : previous,
        entity: example,
      },
    },
  };
}

const schemaChanged = (name: string): EventType => ({
  type: `dataset.${name}.schema_changed`,
  version: 1,
  description: `The declaration of ${name} changed: its other types have a new version.`,
  schema: {
    type: 'object',
    properties: {
      dataset: { type: 'string', const: name },
      schema_version: { ...COUNT, description: 'Generation of the declaration.' },
      dataset_version: COUNT,
    },
    required: ['dataset', 'schema_version', 'dataset_version'],
  },
  example: {
    source: `/v2/datasets/${name}`,
    subject: name,
    data: { dataset: name, schema_version: 2, dataset_version: 903 },
  },
});

const imported = (name: string): EventType => ({
  type: `dataset.${name}.imported`,
  version: 1,
  description: `An import of ${name} that is announced at its end took effect; each of its changes is told besides.`,
  schema: {
    type: 'object',
    properties: {
      dataset: { type: 'string', const: name },
      import: { type: 'string', description: 'Of the import.' },
      changes: { type: 'integer', minimum: 0, description: 'How many rows it created, updated or deleted.' },
      dataset_version: COUNT,
    },
    required: ['dataset', 'import', 'changes', 'dataset_version'],
  },
  example: {
    source: `/v2/datasets/${name}`,
    subject: name,
    data: { dataset: name, import: 'imp_7f3k', changes: 1_250, dataset_version: 904 },
  },
});
