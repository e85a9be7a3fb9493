import { PLATFORM_VERSION } from '../../platform/kinds/platform-event.js';
import type { SourceEvent } from '../../platform/kinds/source-event.js';
import { eventId } from './dataset-events.js';

export interface Gap {
  stream: string;
  /** Newest entry that was read, and the newest that is not kept any more. */
  after: number;
  through: number;
  /** RFC 3339. */
  at: string;
}

/** Tells a subscription that it was not told everything: entries of a stream were removed before they were read for it. */
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
