import type { PlatformEvent } from '../../platform/kinds/platform-event.js';

/** A stream that could not be read. Times are RFC 3339. */
export interface Stall {
  stream: string;
  /** Of the newest entry that was read before. */
  position: number;
  from: string;
  until: string;
}

/** Every process that met the same stall comes to the same event. */
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
