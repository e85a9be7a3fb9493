import type { EventEntry } from '../../platform/kinds/platform-event.js';
import type { StreamEntry } from '../kinds/stream-entry.js';
import type { Watch } from '../kinds/watch.js';
import type { EventObserver } from './event-observer.js';
import type { GapStart } from './gap-start.js';

/** The past events of one subject, from the newest back to its removal or to the begin of the log. */
export interface EventPast {
  /** The newest event that counts. */
  newest?: EventEntry;
  /** The first one of all. */
  first?: EventEntry;
  /** Positions of those that count, the newest first. */
  counted: number[];
  /** Its removal was found: earlier events are about another subject of the same name. */
  isOver: boolean;
}

export interface PastsOptions {
  observer: Pick<EventObserver, 'read'>;
  read: (position: number) => Promise<StreamEntry | undefined>;
  /** The newest entry that is looked at. */
  position: number;
  /** The oldest one, where not all of them are. */
  from?: number;
  /** Checks the past of a subject so far. @returns whether earlier events do not matter */
  isEnough?: (past: EventPast, word: string) => boolean;
  beat?: () => void;
}

const READS_AT_ONCE = 32;

/** Point reads down from the end, as nothing else knows when something happened last. */
export async function findPasts(options: PastsOptions): Promise<Map<string, EventPast>> {
  const { observer, read, position, from = 1, isEnough = () => false, beat = () => {} } = options;
  const pasts = new Map<string, EventPast>();
  for (let upTo = position; upTo >= from; upTo -= READS_AT_ONCE) {
    const positions = Array.from({ length: Math.min(READS_AT_ONCE, upTo - from + 1) }, (_, index) => upTo - index);
    for (const entry of await Promise.all(positions.map(read))) {
      if (entry === undefined) return pasts; // earlier entries are not kept
      const seen = entry.kind === 'event' ? observer.read(entry) : undefined;
      if (entry.kind !== 'event' || seen === undefined) continue;
      const past = pasts.get(seen.name) ?? { counted: [], isOver: false };
      pasts.set(seen.name, past);
      if (past.isOver) continue;
      if (seen.isEnd) past.isOver = true;
      else past.first = entry;
      if (seen.counts && !seen.isEnd) {
        past.newest ??= entry;
        past.counted.push(entry.position);
      }
      if (isEnough(past, seen.name)) return pasts;
    }
    beat();
  }
  return pasts;
}

/** Whether it is there: an event of it was met, and not its end alone. */
export const isPresent = ({ first }: EventPast): boolean => first !== undefined;

/** @returns undefined while the watch waits for a first event */
export function gapStartOfEvents(
  { spec, createdAt }: Pick<Watch, 'spec' | 'createdAt'>,
  { newest, first }: Pick<EventPast, 'newest' | 'first'>,
): GapStart | undefined {
  const created = Date.parse(createdAt);
  const since = newest === undefined ? -Infinity : Date.parse(newest.at);
  if (spec.arm_at === 'creation' && since < created) {
    const begun = first === undefined ? -Infinity : Date.parse(first.at);
    if (newest === undefined && first !== undefined && begun > created) return { gap: first.position, since: begun };
    return { gap: 0, since: created };
  }
  if (newest === undefined || (spec.arm_at === 'first_change' && since <= created)) return undefined;
  return { gap: newest.position, since };
}
