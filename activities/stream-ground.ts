import { PLATFORM_TYPES } from '../events/catalogue.js';
import { familyOf, takesType } from '../events/event-type.js';
import { platformLeaves } from '../events/platform-leaves.js';
import { parseFilter } from '../reference/filter/index.js';
import { platformEventOf } from '../reference/stream-events.js';
import { SlipwayError } from '../resources/errors.js';
import type { EventEntry } from '../resources/platform-event.js';
import type { EventWatchSpec, Watch } from '../resources/watch.js';
import type { EventStream } from '../stores/event-stream.js';
import { createEventObserver, type EventObserver } from '../watches/event-observer.js';
import { createGapMachine } from '../watches/gap-machine.js';
import { observesEvents } from '../watches/observer.js';
import type { ArmingAt, Ground } from './ground.js';
import { createMatching } from './matching.js';

const READS_AT_ONCE = 32;

/** What is known of one thing that events are about, from its newest event back to its end or to where the log begins. */
interface Past {
  /** The newest event that counts. */
  newest?: EventEntry;
  /** The first one of all. */
  first?: EventEntry;
  /** What came before is of another one that had its name. */
  isOver: boolean;
}

/** The events of the platform: what a watch names is to go on happening, once for all or for each thing that it is about. */
export function createStreamGround(stream: string, events: Pick<EventStream, 'read' | 'end'>): Ground {
  function observe({ id, spec }: Watch, names?: readonly string[]): EventObserver {
    if (!observesEvents(spec)) throw new SlipwayError('internal', `watch ${id} is about no stream`);
    const { types, filter } = spec.scope;
    const families = familiesOf(spec.scope);
    const matcher = (wanted: readonly string[]) => {
      const settings = { types: [...wanted], filter, payload: 'full' as const };
      const matching = createMatching({ id, spec: settings, status: { declarations: {} } });
      return (entry: EventEntry) => matching.matches(platformEventOf(stream, entry));
    };
    const isNear = matcher(families.map((family) => `${family}.*`));
    return createEventObserver({
      spec,
      matches: matcher(types),
      isNear,
      isTaken: (entry) => applies(filter, entry.event.type) && isNear(entry),
      ...(names && { names }),
    });
  }

  /** Point reads down from the end, as nothing else knows when something happened last. */
  async function findPasts({ read }: EventObserver, { position, beat }: ArmingAt, isSet: boolean) {
    const pasts = new Map<string, Past>();
    for (let upTo = position; upTo > 0; upTo -= READS_AT_ONCE) {
      const places = Array.from({ length: Math.min(READS_AT_ONCE, upTo) }, (_, index) => upTo - index);
      const entries = await Promise.all(places.map((place) => events.read(place)));
      for (const entry of entries) {
        if (entry === undefined) return pasts; // what came before is not kept any more
        const heard = entry.kind === 'event' ? read(entry) : undefined;
        if (entry.kind !== 'event' || heard === undefined) continue;
        const past = pasts.get(heard.word) ?? { isOver: false };
        pasts.set(heard.word, past);
        if (past.isOver) continue;
        if (heard.isEnd) past.isOver = true;
        else past.first = entry;
        if (heard.counts && !heard.isEnd) past.newest ??= entry;
        if (isSet && past.newest !== undefined) return pasts;
      }
      beat();
    }
    return pasts;
  }

  return {
    observe: (watch, _fields, names) => observe(watch, names),
    async end() {
      const position = await events.end();
      const entry = await events.read(position);
      return { position, at: entry?.at ?? '', token: entry?.token ?? '', isHeld: false };
    },
    async arm(watch, at) {
      const { position } = at;
      const observer = observe(watch, at.names);
      const machine = createGapMachine(watch.spec, at.tell);
      const isSet = watch.spec.each === 'set';
      const pasts = await findPasts(observer, at, isSet);
      // The whole set is there though nothing of it was heard.
      if (isSet && pasts.size === 0) pasts.set(observer.wordOf(observer.numberOf('')), { isOver: false });
      for (const [word, past] of pasts) {
        if (past.first === undefined && !isSet) continue; // it is gone
        machine.arm({ id: observer.numberOf(word), version: position }, begunWith(watch, past));
      }
      return { machine, observer, position, fields: {} };
    },
  };
}

/** Families of the types; a pipeline is there from its creation to its deletion, whatever of its runs is named. */
function familiesOf({ types, by }: EventWatchSpec['scope']): string[] {
  const named = PLATFORM_TYPES.filter(({ type }) => types.some((name) => takesType(name, type)));
  const families = new Set(named.map(({ type }) => familyOf(type)));
  const arePipelines = families.has('pipeline.run') || families.has('pipeline.schedule');
  if (by === null && arePipelines) families.add('pipeline.definition');
  return [...families];
}

function applies(filter: string | null, type: string): boolean {
  const leaves = platformLeaves(type);
  return filter === null || (leaves !== undefined && parseFilter(filter, { dataset: familyOf(type), leaves }).ok);
}

function begunWith({ spec, createdAt }: Watch, { newest, first }: Past) {
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
