import { platformEventOf } from '../reference/stream-events.js';
import { SlipwayError } from '../resources/errors.js';
import type { EventEntry } from '../resources/platform-event.js';
import type { Watch } from '../resources/watch.js';
import type { EventStream } from '../stores/event-stream.js';
import { createGapMachine } from '../watches/gap-machine.js';
import { type Observer, THE_SET } from '../watches/observer.js';
import type { ArmingAt, Ground } from './ground.js';
import { createMatching } from './matching.js';

const READS_AT_ONCE = 32;

/** The events of the platform: all that a watch names are one thing, which is to go on happening. */
export function createStreamGround(stream: string, events: Pick<EventStream, 'read' | 'end'>): Ground {
  function observe({ id, spec }: Watch): Observer {
    const { scope } = spec;
    if (!('stream' in scope)) throw new SlipwayError('internal', `watch ${id} is about no stream`);
    const wanted = { types: scope.types, filter: scope.filter, payload: 'full' as const };
    const matching = createMatching({ id, spec: wanted, status: { declarations: {} } });
    return {
      declare: () => {},
      observe: () => undefined,
      hear(entry) {
        if (entry.repeated === true || !matching.matches(platformEventOf(stream, entry))) return undefined;
        return { id: THE_SET, version: entry.position, member: true, counts: true, dwells: true };
      },
    };
  }

  /** Point reads down from the end: nothing else knows when something happened last. */
  async function findNewest(observer: Observer, { position, beat }: ArmingAt): Promise<EventEntry | undefined> {
    for (let upTo = position; upTo > 0; upTo -= READS_AT_ONCE) {
      const places = Array.from({ length: Math.min(READS_AT_ONCE, upTo) }, (_, index) => upTo - index);
      const entries = await Promise.all(places.map((place) => events.read(place)));
      for (const entry of entries) {
        if (entry === undefined) return undefined; // what came before is not kept any more
        if (entry.kind === 'event' && observer.hear(entry) !== undefined) return entry;
      }
      beat();
    }
    return undefined;
  }

  return {
    observe,
    async end() {
      const position = await events.end();
      const entry = await events.read(position);
      return { position, at: entry?.at ?? '', token: entry?.token ?? '', isHeld: false };
    },
    async arm(watch, at) {
      const observer = observe(watch);
      const machine = createGapMachine(watch.spec, at.tell);
      const newest = await findNewest(observer, at);
      machine.arm({ id: THE_SET, version: at.position }, begunWith(watch, newest));
      return { machine, observer, position: at.position, fields: {} };
    },
  };
}

function begunWith({ spec, createdAt }: Watch, newest: EventEntry | undefined) {
  const created = Date.parse(createdAt);
  const since = newest === undefined ? -Infinity : Date.parse(newest.at);
  if (spec.arm_at === 'creation' && since < created) return { gap: 0, since: created };
  if (newest === undefined || (spec.arm_at === 'first_change' && since <= created)) return undefined;
  return { gap: newest.position, since };
}
