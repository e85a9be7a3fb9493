import type { PlatformEvent } from '../../../platform/kinds/platform-event.js';
import type { Database } from '../../../platform/stores/database.js';
import { createEventStream } from '../../../platform/stores/event-stream.js';
import { createLogTails } from '../../../notifications/stores/log-tails.js';
import { until } from '../../e2e/until.js';

/** Reads the events of a stream other than those of datasets, in order. */
export async function emittedEvents(database: Database, stream = 'pipeline'): Promise<PlatformEvent[]> {
  const tails = createLogTails({ database });
  const end = await createEventStream({ database, stream }).end();
  const events: PlatformEvent[] = [];
  for (let position = 1; position <= end; position += 1) {
    // The tail sets out when it is first asked.
    const entry = await until('the entry', async () => (await tails.read(stream, position)) ?? false, { pollMs: 5 });
    if (entry.kind === 'event' && entry.repeated !== true) events.push(entry.event);
  }
  await tails.stop();
  return events;
}
