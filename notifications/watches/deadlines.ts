import { Cron } from 'croner';
import { parseDuration } from '../../platform/kinds/duration.js';
import type { WatchSpec } from '../kinds/watch.js';

/** When a gap is overdue. Times are milliseconds since 1970, UTC. */
export interface Deadlines {
  /** The deadline of a gap that begins at `since`: a change at this time is still in time. */
  after: (since: number) => number;
  /** The end of the next period after a deadline. */
  next: (deadline: number) => number;
}

/**
 * A period of a fixed length, or the ticks of a calendar. Between two ticks there must be a change: one at 10:00 is good
 * until the tick after the next one, since the next one ends the stretch that it is in.
 */
export function createDeadlines(period: WatchSpec['period']): Deadlines {
  if (typeof period === 'string') {
    const ms = parseDuration(period) ?? NaN;
    return { after: (since) => since + ms, next: (deadline) => deadline + ms };
  }
  const cron = new Cron(period.cron, { timezone: period.zone, mode: '5-part' });
  const tickAfter = remembering((minute) => cron.nextRun(new Date(minute * MINUTE_MS))?.getTime() ?? Infinity);
  /** The first tick that is later: ticks are on whole minutes. */
  const later = (time: number): number => tickAfter(Math.floor(time / MINUTE_MS));
  return { after: (since) => later(later(since - 1)), next: later };
}

const MINUTE_MS = 60_000;
const MOST_KNOWN = 10_000;

/** Local calendars are slow to walk, and many entities change in one minute. */
function remembering(find: (minute: number) => number): (minute: number) => number {
  const known = new Map<number, number>();
  return (minute) => {
    const found = known.get(minute) ?? find(minute);
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(minute, found);
    return found;
  };
}

const MOST_COUNTED = 1_000;

/** Periods that had ended without a change by `at`, at least one after the deadline; counted up to a thousand. */
export function missedPeriods(deadlines: Deadlines, deadline: number, at: number): number {
  if (at <= deadline) return 0;
  let missed = 1;
  for (let end = deadlines.next(deadline); end < at && missed < MOST_COUNTED; end = deadlines.next(end)) missed += 1;
  return missed;
}
