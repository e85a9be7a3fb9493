import { rowEtag } from '../../reference/rows/row-etag.js';
import type { Watch } from '../kinds/watch.js';
import type { PlatformEvent } from '../../platform/kinds/platform-event.js';
import type { GapEvent } from '../watches/gap-machine.js';
import { THE_SET } from '../watches/observer.js';
import { integer, text, time } from './data-fields.js';
import type { EventFamily } from './event-family.js';

/** The events of the stream `watch`: an expected change of an entity did not happen in time. */
export const WATCH_FAMILY: EventFamily = {
  name: 'watch',
  fields: {
    watch: text(true),
    watch_name: text(true),
    dataset: text(), // none of a watch of events
    stream: text(),
    entity_id: text(), // none of a whole set
    entity_version: integer(),
    etag: text(), // of a row: the answer to a read of this version has it
    gap_id: text(true),
    gap_version: integer(true),
    repeat: integer(true),
    last_changed_at: time(true),
    deadline: time(true),
    due_at: time(true),
    detected_at: time(true),
    gap_seconds: integer(),
    missed_periods: integer(),
  },
  more: {
    filter: { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'Of the scope.' },
    types: { type: 'array', items: { type: 'string' }, description: 'Of a watch of events: those that count.' },
  },
  example: {
    source: '/v2/watches/wat_7f3k',
    subject: 'wat_7f3k/9007199254740993',
    data: {
      watch: 'wat_7f3k',
      watch_name: 'open positions gone quiet',
      dataset: 'positions',
      filter: 'staffing_status == Open',
      entity_id: '9007199254740993',
      entity_version: 7,
      etag: '"7.1.0"',
      gap_id: 'wat_7f3k/9007199254740993/7',
      gap_version: 7,
      repeat: 0,
      last_changed_at: '2026-01-28T09:30:12.114Z',
      deadline: '2026-02-11T09:30:12.114Z',
      due_at: '2026-02-11T15:30:12.114Z',
      detected_at: '2026-02-11T15:30:12.731Z',
    },
  },
  types: {
    late: {
      description: 'An entity has not changed by the end of its period; the grace begins.',
      data: { due_at: '2026-02-11T09:30:12.114Z', detected_at: '2026-02-11T09:30:12.731Z' },
    },
    absent: { description: 'An entity has not changed in time; repeat counts the further events of the same gap.' },
    resumed: {
      description: 'An entity has changed after the event of its absence.',
      data: { due_at: '2026-02-12T09:30:12.114Z', gap_seconds: 1_296_000, missed_periods: 1 },
    },
    closed: { description: 'An entity is not watched any more: it left the scope or was deleted.' },
  },
};

const timeOf = (ms: number): string => new Date(ms).toISOString();

/** `<watch>/<entity>/<version that began the gap>`. */
export const gapId = (watch: string, entity: string, gap: number): string => `${watch}/${entity}/${gap}`;

/** Returns the key of an event: every evaluator that finds the same gap returns the same key. */
export const watchEventKey = (gap: string, kind: GapEvent['kind'], repeat: number): string =>
  `watch/${gap}/${kind}${repeat === 0 ? '' : `/${repeat}`}`;

/** The event of a gap, with the entity as clients name it. */
export type EntityGapEvent = GapEvent & {
  /** The id on the wire. */
  entity: string;
  /** The generation of the declaration of its rows, where there are rows. */
  generation?: number | undefined;
};

/**
 * Returns the event of a gap: a receiver can act upon it without a read.
 * @param detectedAt when it was found, by the clock of the evaluator
 */
export function toWatchEvent(
  { id, spec }: Watch,
  { entity, generation, ...gapEvent }: EntityGapEvent,
  detectedAt: Date,
): PlatformEvent {
  const { kind, version, gap, repeat, since, deadline, at, missed } = gapEvent;
  const isSet = gapEvent.id === THE_SET;
  const gapName = gapId(id, entity, gap);
  const data = {
    watch: id,
    watch_name: spec.name,
    ...('stream' in spec.scope
      ? { stream: spec.scope.stream, types: spec.scope.types }
      : { dataset: spec.scope.dataset }),
    filter: spec.scope.filter,
    ...(!isSet && { entity_id: entity, entity_version: version }),
    ...(!isSet && generation !== undefined && { etag: rowEtag(version, generation) }),
    gap_id: gapName,
    gap_version: gap,
    repeat,
    last_changed_at: timeOf(since),
    deadline: timeOf(deadline),
    due_at: timeOf(at),
    detected_at: detectedAt.toISOString(),
    ...(kind === 'resumed' && { gap_seconds: Math.round((at - since) / 1_000), missed_periods: missed }),
  };
  return {
    key: watchEventKey(gapName, kind, repeat),
    type: `watch.${kind}`,
    source: `/v2/watches/${id}`,
    subject: `${id}/${entity}`,
    version: repeat === 0 ? gap : `${gap}/${repeat}`,
    at: timeOf(at),
    data: JSON.stringify(data),
  };
}
