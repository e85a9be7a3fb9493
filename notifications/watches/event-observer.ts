import { parseStoredRow } from '../../reference/columns/stored-row.js';
import type { EventEntry, PlatformEvent } from '../../platform/kinds/platform-event.js';
import type { EventWatchSpec } from '../kinds/watch.js';
import type { Observation } from './gap-machine.js';
import { THE_SET } from './observer.js';

/** An event, as a watch of events sees it. */
export interface ObservedEvent {
  /** Its subject, such as `pipeline/wine`; constant for a watch of a whole set. */
  name: string;
  /** It is of the expected kind. */
  counts: boolean;
  /** It removes its subject. */
  isEnd: boolean;
}

export interface EventObserverOptions {
  spec: Pick<EventWatchSpec, 'scope' | 'each' | 'arm_at'>;
  /** Whether an event is an expected one. */
  matches: (entry: EventEntry) => boolean;
  /** Whether an event is of those types' families, and the filter takes it or does not apply to it. */
  isNear: (entry: EventEntry) => boolean;
  /** The same of those alone that the filter applies to. */
  isTaken: (entry: EventEntry) => boolean;
  /** Known subjects, in the order of their numbers. */
  names?: readonly string[];
}

const SET_NAME = 'set';
/** Runs and schedules are about their pipeline, which lasts. */
const OF_PIPELINES = /^pipeline\.(run|schedule|definition)\./;

/** @returns the subject of an event, or the value that `by` names */
function subjectOf({ type, subject, data }: PlatformEvent, by: string | null): string | undefined {
  if (by === null && !OF_PIPELINES.test(type)) return subject;
  const row = parseStoredRow(data);
  const value = by === null ? (row.pipeline ?? row.id) : row[by];
  return typeof value === 'string' && value !== '' ? `${by ?? 'pipeline'}/${value}` : undefined;
}

/**
 * Observes the events of a stream for a watch. Subjects are numbered in the order of their first event: numbers are
 * local, another evaluator may number differently.
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

  /** @returns undefined for an event that does not concern the watch */
  function read(entry: EventEntry): ObservedEvent | undefined {
    if (entry.repeated === true) return undefined;
    const counts = matches(entry);
    if (each === 'set') return counts ? { name: SET_NAME, counts, isEnd: false } : undefined;
    const isEnd = scope.by === null && entry.event.type.endsWith('.deleted') && isNear(entry);
    // Whose time counts from the creation is watched as soon as it is seen of.
    const isNew = arm_at === 'creation' && isTaken(entry);
    const word = counts || isEnd || isNew ? subjectOf(entry.event, scope.by) : undefined;
    return word === undefined ? undefined : { name: word, counts, isEnd };
  }

  return {
    read,
    numberOf,
    declare: () => {},
    observe: () => undefined,
    observeEvent(entry: EventEntry): Observation | undefined {
      const seen = read(entry);
      if (seen === undefined || (seen.isEnd && !numbers.has(seen.name))) return undefined;
      const { name: word, counts, isEnd } = seen;
      return { id: numberOf(word), version: entry.position, member: !isEnd, counts, dwells: true };
    },
    nameOf: (id: bigint): string => (id === THE_SET ? SET_NAME : (names[Number(id) - 1] ?? String(id))),
    names: (): readonly string[] => names,
  };
}
export type EventObserver = ReturnType<typeof createEventObserver>;
