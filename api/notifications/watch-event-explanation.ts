import type { StreamEntry } from '../../notifications/kinds/stream-entry.js';
import type { EventWatchSpec } from '../../notifications/kinds/watch.js';
import { gapStartOfEvents, findPasts, isPresent, type EventPast } from '../../notifications/watches/event-past.js';
import { createScopeObserver } from '../../notifications/watches/event-scope.js';
import { THE_SET } from '../../notifications/watches/observer.js';
import { invalid } from '../http/parameters.js';
import { gapStateOf, type GapStateOptions } from './watch-gap-state.js';

/** Events of the platform, the newest at `end`. */
export interface WatchedEvents {
  end: () => Promise<number>;
  read: (position: number) => Promise<StreamEntry | undefined>;
}

export interface EventExplanationOptions extends GapStateOptions {
  spec: EventWatchSpec;
  events: WatchedEvents;
  /** Subject of the events, such as `pipeline/wine`; optional for a watch of a whole set. */
  entity: string | undefined;
}

/** Entries that one explanation reads: the evaluator may know older ones. */
const MOST_ENTRIES = 20_000;
/** Earlier gaps that are examined. */
const MOST_GAPS = 200;
const NOTHING: EventPast = { counted: [], isOver: false };

/** Explains the gap of one subject of a watch of events, from the stream as its evaluator does. */
export async function explainEvents({ spec, events, entity, ...options }: EventExplanationOptions) {
  const isSet = spec.each === 'set';
  const name = entity ?? (isSet ? 'set' : undefined);
  if (name === undefined) throw invalid('entity', 'is required: whose gap is meant, such as pipeline/wine');
  if (isSet && name !== 'set') throw invalid('entity', 'is set: any event in the scope counts for all of them');
  const { watch } = options;
  const position = await events.end();
  const newest = position === 0 ? undefined : await events.read(position);
  const from = Math.max(1, position - MOST_ENTRIES + 1);
  const looksBack = spec.rearm.mode === 'never';
  const isEnough = ({ isOver, counted }: EventPast, metName: string): boolean =>
    metName === name && (isOver || counted.length > (looksBack ? MOST_GAPS : 0));
  const pasts = await findPasts({ observer: createScopeObserver(spec), read: events.read, position, from, isEnough });
  const head = { watch: watch.id, entity_id: name, log_at: newest?.at ?? null };
  const past = pasts.get(name) ?? (isSet ? NOTHING : undefined);
  if (past === undefined) {
    if (from > 1) return { ...head, state: 'unknown', why: `none of the newest ${MOST_ENTRIES} events is about it` };
    return { ...head, state: 'out', why: 'no event in the scope that is kept is about it' };
  }
  if (!isSet && !isPresent(past)) return { ...head, state: 'out', why: 'it was deleted' };
  const start = gapStartOfEvents(watch, past);
  if (start === undefined) return { ...head, state: 'waiting', why: 'no event that counts has been seen of it' };
  const earlier = [...past.counted, past.first?.position ?? 0, 0].filter((gap) => gap < start.gap);
  const gap = { id: isSet ? THE_SET : 1n, name, version: start.gap, start, earlier };
  return { ...head, ...(await gapStateOf(options, gap)) };
}
