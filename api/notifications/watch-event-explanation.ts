import type { StreamEntry } from '../../notifications/kinds/stream-entry.js';
import type { EventWatchSpec } from '../../notifications/kinds/watch.js';
import { beginOfGap, findPasts, isThere, type Past } from '../../notifications/watches/event-past.js';
import { observeScope } from '../../notifications/watches/event-scope.js';
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
  /** What events are about, such as `pipeline/wine`; of a whole set it need not be said. */
  entity: string | undefined;
}

/** Entries that one answer is made of: an evaluator may know of older ones. */
const MOST_ENTRIES = 20_000;
/** Gaps that are looked back at. */
const MOST_GAPS = 200;
const NOTHING: Past = { counted: [], isOver: false };

/** What a watch of events knows of one thing that they are about, found from the stream as its evaluator finds it. */
export async function explainEvents({ spec, events, entity, ...options }: EventExplanationOptions) {
  const isSet = spec.each === 'set';
  const word = entity ?? (isSet ? 'set' : undefined);
  if (word === undefined) throw invalid('entity', 'is required: whose gap is meant, such as pipeline/wine');
  if (isSet && word !== 'set') throw invalid('entity', 'is set: any event in the scope counts for all of them');
  const { watch } = options;
  const position = await events.end();
  const newest = position === 0 ? undefined : await events.read(position);
  const from = Math.max(1, position - MOST_ENTRIES + 1);
  const looksBack = spec.rearm.mode === 'never';
  const isEnough = ({ isOver, counted }: Past, met: string): boolean =>
    met === word && (isOver || counted.length > (looksBack ? MOST_GAPS : 0));
  const pasts = await findPasts({ observer: observeScope(spec), read: events.read, position, from, isEnough });
  const head = { watch: watch.id, entity_id: word, log_at: newest?.at ?? null };
  const past = pasts.get(word) ?? (isSet ? NOTHING : undefined);
  if (past === undefined) {
    if (from > 1) return { ...head, state: 'unknown', why: `none of the newest ${MOST_ENTRIES} events is about it` };
    return { ...head, state: 'out', why: 'no event in the scope that is kept is about it' };
  }
  if (!isSet && !isThere(past)) return { ...head, state: 'out', why: 'it was deleted' };
  const begun = beginOfGap(watch, past);
  if (begun === undefined) return { ...head, state: 'waiting', why: 'no event that counts has been seen of it' };
  const earlier = [...past.counted, past.first?.position ?? 0, 0].filter((gap) => gap < begun.gap);
  const gap = { id: isSet ? THE_SET : 1n, word, version: begun.gap, begun, earlier };
  return { ...head, ...(await gapStateOf(options, gap)) };
}
