import { parseStoredRow } from '../../reference/columns/stored-row.js';
import type { EventEntry, PlatformEvent } from '../../platform/kinds/platform-event.js';
import type { EventWatchSpec } from '../kinds/watch.js';
import type { Observation } from './gap-machine.js';
import { THE_SET } from './observer.js';

/** What of an event a watch of events wants to know. */
export interface ObservedEvent {
  /** What it is about, such as `pipeline/wine`; of a watch of a whole set always the same. */
  name: string;
  /** It is of the kind that is to go on happening. */
  counts: boolean;
  /** What it is about is gone with it. */
  isEnd: boolean;
}

export interface EventObserverOptions {
  spec: Pick<EventWatchSpec, 'scope' | 'each' | 'arm_at'>;
  /** Whether an event is one that is to go on happening. */
  matches: (entry: EventEntry) => boolean;
  /** Whether an event is of those types' families, and the filter takes it or does not apply to it. */
  isNear: (entry: EventEntry) => boolean;
  /** The same of those alone that the filter applies to. */
  isTaken: (entry: EventEntry) => boolean;
  /** What was met before, in the order of the numbers that stand for it. */
  names?: readonly string[];
}

const SET_WORD = 'set';
/** Runs and schedules are about their pipeline, which lasts. */
const OF_PIPELINES = /^pipeline\.(run|schedule|definition)\./;

/** What an event is about, if it is about anything that `by` names. */
function wordOfEvent({ type, subject, data }: PlatformEvent, by: string | null): string | undefined {
  if (by === null && !OF_PIPELINES.test(type)) return subject;
  const row = parseStoredRow(data);
  const value = by === null ? (row.pipeline ?? row.id) : row[by];
  return typeof value === 'string' && value !== '' ? `${by ?? 'pipeline'}/${value}` : undefined;
}

/**
 * Tells of the events of a stream what a watch wants to know of them. What they are about has numbers in the order in which
 * it is met: they are its own affair, and whoever else judges may count otherwise.
 */
export function createEventObserver({ spec, matches, isNear, isTaken, names: known = [] }: EventObserverOptions) {
  const { scope, each, arm_at } = spec;
  const names = [...known];
  const numbers = new Map(names.map((name, index) => [name, BigInt(index + 1)]));

  function numberOf(word: string): bigint {
    if (each === 'set') return THE_SET;
    const number = numbers.get(word) ?? BigInt(names.push(word));
    numbers.set(word, number);
    return number;
  }

  /** @returns undefined: it is no affair of the watch */
  function read(entry: EventEntry): ObservedEvent | undefined {
    if (entry.repeated === true) return undefined;
    const counts = matches(entry);
    if (each === 'set') return counts ? { name: SET_WORD, counts, isEnd: false } : undefined;
    const isEnd = scope.by === null && entry.event.type.endsWith('.deleted') && isNear(entry);
    // Whose time counts from the creation is watched as soon as it is heard of.
    const isNew = arm_at === 'creation' && isTaken(entry);
    const word = counts || isEnd || isNew ? wordOfEvent(entry.event, scope.by) : undefined;
    return word === undefined ? undefined : { name: word, counts, isEnd };
  }

  return {
    read,
    numberOf,
    declare: () => {},
    observe: () => undefined,
    observeEvent(entry: EventEntry): Observation | undefined {
      const heard = read(entry);
      if (heard === undefined || (heard.isEnd && !numbers.has(heard.name))) return undefined;
      const { name: word, counts, isEnd } = heard;
      return { id: numberOf(word), version: entry.position, member: !isEnd, counts, dwells: true };
    },
    nameOf: (id: bigint): string => (id === THE_SET ? SET_WORD : (names[Number(id) - 1] ?? String(id))),
    names: (): readonly string[] => names,
  };
}
export type EventObserver = ReturnType<typeof createEventObserver>;
