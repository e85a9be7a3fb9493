import type { Change } from '../../reference/dataset/change.js';
import type { DeclaredFields } from '../../reference/dataset/dataset.js';
import { type EventEntry, PLATFORM_VERSION } from '../../platform/kinds/platform-event.js';
import type { StreamEntry } from '../kinds/stream-entry.js';
import type { SourceEvent } from '../../platform/kinds/source-event.js';
import { parseStoredRow } from '../../reference/columns/stored-row.js';
import { stringifyJson } from '../../reference/rows/json.js';
import { eventsOfEntry } from './dataset-events.js';
import { eventId } from './event-id.js';

/** The members of a platform event's data that `payload` ids contains. */
const HEAD = ['kind', 'id', 'version', 'generation', 'stream', 'position', 'watch', 'dataset', 'entity_id', 'gap_id'];

/**
 * Events of one entry of any stream, in an order that is the same for everybody.
 * @param declared of a dataset: the declaration in force at the entry
 * @param released what was kept back until this entry, when it is a release
 */
export function eventsOfStream(
  stream: string,
  declared: DeclaredFields,
  entry: StreamEntry,
  released: readonly Change[] = [],
): SourceEvent[] {
  if (entry.kind !== 'event') return eventsOfEntry(stream, declared, entry, released);
  return entry.repeated ? [] : [platformEventOf(stream, entry)];
}

/** A platform event, as its stream tells it. */
export function platformEventOf(stream: string, { position, event }: EventEntry): SourceEvent {
  const { type, source, subject, version, at, data } = event;
  return {
    id: eventId(stream, subject, version, type),
    type,
    schemaVersion: PLATFORM_VERSION,
    stream,
    position,
    index: 0,
    ref: source,
    source,
    subject,
    at,
    data: (payload) => (payload === 'ids' ? headOf(data) : data),
    row: () => parseStoredRow(data),
  };
}

function headOf(data: string): string {
  const row = parseStoredRow(data);
  return stringifyJson(Object.fromEntries(HEAD.flatMap((name) => (name in row ? [[name, row[name]]] : []))));
}
