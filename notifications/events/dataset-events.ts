import { createHash } from 'node:crypto';
import { stringifyJson } from '../../reference/rows/json.js';
import type { Change, LogEntry } from '../../reference/dataset/change.js';
import type { LogEntryBase } from '../../platform/kinds/log-entry.js';
import type { DeclaredFields } from '../../reference/dataset/dataset.js';
import type { SourceEvent } from '../../platform/kinds/source-event.js';
import { parseStoredRow } from '../../reference/columns/stored-row.js';
import { toEventRow } from './event-row.js';

/**
 * Events of one entry of a dataset's log, in an order that is the same for everybody.
 * @param declared the declaration in force at the entry
 * @param released what was kept back until this entry, when it is a release
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

const OPERATIONS = { create: 'created', update: 'updated', delete: 'deleted' } as const;

function changeEvent(
  dataset: string,
  declared: DeclaredFields,
  change: Change,
  place: { position: number; index: number },
): SourceEvent {
  const { id: subject, version, at, body, previous } = change;
  const operation = body === null ? 'delete' : previous === undefined ? 'create' : 'update';
  const type = `dataset.${dataset}.${OPERATIONS[operation]}`;
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

/** The id, and of an update the changed fields that it has now; a new row is all new. */
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

/** Made of what identifies the event alone, so everybody who meets it comes to the same id. */
export function eventId(stream: string, subject: string, version: number | string, type: string): string {
  const hash = createHash('sha256').update([stream, subject, version, type].join('\0')).digest('base64url');
  return `evt_${hash.replaceAll(/[-_]/g, '').slice(0, 24)}`;
}
