import { stringifyJson } from '../../reference/rows/json.js';
import type { Change, LogEntry } from '../../reference/dataset/change.js';
import type { DeclaredFields } from '../../reference/dataset/dataset.js';
import { ID, rowBefore, rowReply } from '../../reference/dataset/row-schema.js';
import { parseStoredRow } from '../../reference/columns/stored-row.js';
import type { LogEntryBase } from '../../platform/kinds/log-entry.js';
import type { SourceEvent } from '../../platform/kinds/source-event.js';
import { eventId } from './event-id.js';
import { toEventRow } from './event-row.js';
import type { EventType, JsonSchema } from './event-type.js';
import { EXAMPLE_ID, EXAMPLE_TIME, exampleFields } from './example-row.js';

const COUNT: JsonSchema = { type: 'integer', minimum: 1 };
const NOTHING: JsonSchema = { type: 'null' };

/** Returns the event types of a declared dataset; its declaration gives the schema of the rows. */
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
  description: `An import of ${name} that is announced at its end took effect; each of its changes has an event of its own.`,
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

/**
 * Returns the events of one entry of a dataset's log, in an order that is the same for every process.
 * @param declared the declaration in force at the entry
 * @param released the changes that were held until this entry, when it is a release
 */
export function eventsOfEntry(
  dataset: string,
  declared: DeclaredFields,
  entry: LogEntry,
  released: readonly Change[] = [],
): SourceEvent[] {
  if (entry.kind === 'schema') return [schemaEvent(dataset, entry)];
  const changes = entry.kind === 'changes' ? entry.changes : entry.kind === 'release' ? released : [];
  const events = changes
    .filter(({ refused }) => refused !== true)
    .map((change, index) => changeEvent(dataset, declared, change, { position: entry.position, index }));
  return entry.kind === 'release' ? [...events, importedEvent(dataset, entry, events.length)] : events;
}

/** Returns the types of the events of an entry that holds changes. */
export const typesOfChanges = (dataset: string, changes: readonly Change[]): Set<string> =>
  new Set(changes.map((change) => changeTypeOf(dataset, operationOf(change))));

const OPERATIONS = { create: 'created', update: 'updated', delete: 'deleted' } as const;

const operationOf = ({ body, previous }: Change): keyof typeof OPERATIONS =>
  body === null ? 'delete' : previous === undefined ? 'create' : 'update';

const changeTypeOf = (dataset: string, operation: keyof typeof OPERATIONS): string =>
  `dataset.${dataset}.${OPERATIONS[operation]}`;

function changeEvent(
  dataset: string,
  declared: DeclaredFields,
  change: Change,
  place: { position: number; index: number },
): SourceEvent {
  const { id: subject, version, at, body, previous } = change;
  const operation = operationOf(change);
  const type = changeTypeOf(dataset, operation);
  return {
    id: eventId(dataset, subject, version, type),
    type,
    ...(declared.generation !== undefined && { schemaVersion: declared.generation }),
    stream: dataset,
    ...place,
    ref: `/v2/${dataset}/${subject}/history`,
    source: `/v2/datasets/${dataset}`,
    subject,
    at,
    data(payload) {
      const head =
        `{"dataset":"${dataset}","entity_id":"${subject}","version":${version},` +
        `"dataset_version":${place.position},"operation":"${operation}"`;
      if (payload === 'ids') return `${head}}`;
      const changed = previous === undefined ? [] : Object.keys(parseStoredRow(previous));
      const entity = payload === 'full' || body === null ? body : onlyChanged(body, changed, operation);
      return `${head},"changed":${JSON.stringify(changed)},"previous":${previous ?? 'null'},"entity":${entity ?? 'null'}}`;
    },
    row: () => toEventRow(declared, change),
  };
}

/** Returns the id and the changed fields that a row has now; all fields of a new row are changed. */
function onlyChanged(body: string, changed: readonly string[], operation: keyof typeof OPERATIONS): string {
  if (operation === 'create') return body;
  const row = parseStoredRow(body);
  const kept = ['id', ...changed].filter((name) => Object.hasOwn(row, name));
  return stringifyJson(Object.fromEntries(kept.map((name) => [name, row[name]])));
}

function schemaEvent(dataset: string, { schema, position, at }: LogEntryBase & { schema: number }): SourceEvent {
  const type = `dataset.${dataset}.schema_changed`;
  return {
    id: eventId(dataset, '', schema, type),
    type,
    schemaVersion: 1,
    stream: dataset,
    position,
    index: 0,
    ref: `/v2/datasets/${dataset}`,
    source: `/v2/datasets/${dataset}`,
    subject: dataset,
    at,
    data: () => `{"dataset":"${dataset}","schema_version":${schema},"dataset_version":${position}}`,
  };
}

function importedEvent(dataset: string, entry: LogEntryBase & { import: string }, changes: number): SourceEvent {
  const { import: id, position, at } = entry;
  const type = `dataset.${dataset}.imported`;
  return {
    id: eventId(dataset, id, position, type),
    type,
    schemaVersion: 1,
    stream: dataset,
    position,
    index: changes,
    ref: `/v2/${dataset}/imports/${id}`,
    source: `/v2/datasets/${dataset}`,
    subject: dataset,
    at,
    data: () => JSON.stringify({ dataset, import: id, changes, dataset_version: position }),
  };
}
