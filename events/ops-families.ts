import { integer, text, time } from './data-fields.js';
import type { EventFamily } from './event-family.js';
import { EXAMPLE_TIME } from './example-row.js';

/** Events of the stream `ops`: of the service itself. */
export const OPS_FAMILIES: readonly EventFamily[] = [
  {
    name: 'ops',
    fields: {
      stream: text(true),
      position: integer(true),
      stalled_from: time(),
      moved_at: time(),
      seconds: integer(),
    },
    example: {
      source: '/v2/health',
      subject: 'stream/positions',
      data: {
        stream: 'positions',
        position: 902,
        stalled_from: '2026-02-11T09:28:02.114Z',
        moved_at: EXAMPLE_TIME,
        seconds: 130,
      },
    },
    types: { feed_stalled: { description: 'A stream could not be read for a while; it moves again.' } },
  },
];
