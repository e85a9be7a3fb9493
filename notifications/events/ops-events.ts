import { PLATFORM_VERSION, type PlatformEvent } from '../../platform/kinds/platform-event.js';
import type { SourceEvent } from '../../platform/kinds/source-event.js';
import { integer, text, time } from './data-fields.js';
import type { EventFamily } from './event-family.js';
import { eventId } from './event-id.js';
import { EXAMPLE_TIME } from './example-row.js';

/** The events of the service itself. */
export const OPS_FAMILY: EventFamily = {
  name: 'ops',
  fields: {
    stream: text(true),
    position: integer(true),
    after: integer(),
    entries: integer(),
    stalled_from: time(),
    moved_at: time(),
    seconds: integer(),
  },
  example: {
    source: '/v2/health',
    subject: 'stream/positions',
    data: { stream: 'positions', position: 902 },
  },
  types: {
    feed_stalled: {
      description: 'A stream could not be read for a while; it moves again.',
      data: { stalled_from: '2026-02-11T09:28:02.114Z', moved_at: EXAMPLE_TIME, seconds: 130 },
    },
    gap: {
      description:
        'Entries after `after`, up to `position`, were removed before this subscription had read them. Sent whatever types it names.',
      data: { after: 840, entries: 62 },
    },
  },
};

/** A stream that could not be read. Times are RFC 3339. */
export interface Stall {
  stream: string;
  /** The position of the newest entry that was read before. */
  position: number;
  from: string;
  until: string;
}

/** Returns the event of a stall. Every process that met the same stall returns the same event. */
export const feedStalled = ({ stream, position, from, until }: Stall): PlatformEvent => ({
  key: `ops/feed_stalled/${stream}/${position}`,
  type: 'ops.feed_stalled',
  source: '/v2/health',
  subject: `stream/${stream}`,
  version: position,
  at: until,
  data: JSON.stringify({
    stream,
    position,
    stalled_from: from,
    moved_at: until,
    seconds: Math.round((Date.parse(until) - Date.parse(from)) / 1_000),
  }),
});

export interface Gap {
  stream: string;
  /** Newest entry that was read, and the newest that is not kept any more. */
  after: number;
  through: number;
  /** RFC 3339. */
  at: string;
}

/** Returns the event that a subscription missed entries of a stream: they were purged before they were read. */
export function gapEvent({ stream, after, through, at }: Gap): SourceEvent {
  const [type, subject] = ['ops.gap', `stream/${stream}`];
  const data = JSON.stringify({ stream, position: through, after, entries: through - after });
  return {
    id: eventId(stream, subject, `${after}-${through}`, type),
    type,
    schemaVersion: PLATFORM_VERSION,
    stream,
    position: through,
    index: 0,
    ref: '/v2/health',
    source: '/v2/health',
    subject,
    at,
    data: () => data,
  };
}
