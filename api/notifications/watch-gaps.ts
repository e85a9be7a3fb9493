import type { EventEntry } from '../../platform/kinds/platform-event.js';
import type { EventStream } from '../../platform/stores/event-stream.js';
import type { StreamLog } from '../../platform/stores/stream-log.js';

export interface WatchGapsOptions {
  stream: Pick<EventStream, 'counts' | 'end'>;
  log: Pick<StreamLog<EventEntry>, 'read'>;
}

/** Entries that one page walks over at most: it may be short, and then says where to go on. */
const MOST_ENTRIES = 1_000;
const AT_ONCE = 50;

/** Lists the emitted events of a watch, the newest first: walks back through the stream of all watches. */
export async function readGaps(
  { stream, log }: WatchGapsOptions,
  { watch, before, size }: { watch: string; before: number | undefined; size: number },
) {
  const items: object[] = [];
  let next = before === undefined ? await stream.end() : before - 1;
  const last = Math.max(0, next - MOST_ENTRIES);
  while (next > last && items.length < size) {
    const positions = Array.from({ length: Math.min(AT_ONCE, next - last) }, (_, n) => next - n);
    const entries = await Promise.all(positions.map((position) => log.read(position)));
    for (const entry of entries) {
      if (entry === undefined) return { items, next: undefined }; // older ones are not kept
      if (items.length === size) break;
      next = entry.position - 1;
      const { event } = entry;
      if (event.source !== `/v2/watches/${watch}` || !(await stream.counts(entry))) continue;
      const data = JSON.parse(event.data) as object; // written by us
      items.push({ position: entry.position, type: event.type, ...data });
    }
  }
  return { items, next: next > 0 ? next + 1 : undefined };
}
