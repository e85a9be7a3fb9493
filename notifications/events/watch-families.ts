import { integer, text, time } from './data-fields.js';
import type { EventFamily } from './event-family.js';

/** Events of the stream `watch`: what was expected of an entity, and did not happen in time. */
export const WATCH_FAMILIES: readonly EventFamily[] = [
  {
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
      absent: { description: 'An entity has not changed in time; repeat counts when it is told again.' },
      resumed: {
        description: 'An entity has changed after its absence was told.',
        data: { due_at: '2026-02-12T09:30:12.114Z', gap_seconds: 1_296_000, missed_periods: 1 },
      },
      closed: { description: 'An entity is not watched any more: it left the scope or was deleted.' },
    },
  },
];
