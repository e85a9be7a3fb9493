import { SlipwayError } from '../../../platform/kinds/errors.js';
import type { EventWatchSpec, Watch } from '../../../notifications/kinds/watch.js';
import type { EventStream } from '../../../platform/stores/event-stream.js';
import { gapStartOfEvents, findPasts, isPresent } from '../../../notifications/watches/event-past.js';
import { createScopeObserver } from '../../../notifications/watches/event-scope.js';
import { createGapMachine } from '../../../notifications/watches/gap-machine.js';
import { observesEvents } from '../../../notifications/watches/observer.js';
import type { WatchSource } from './watch-source.js';

/** The platform's events as a watch source: a watch expects its events to recur, for the whole set or for each entity. */
export function createEventWatchSource(events: Pick<EventStream, 'read' | 'end'>): WatchSource {
  return {
    observe: (watch, _fields, names) => createScopeObserver(specOf(watch), names),
    async end() {
      const position = await events.end();
      const entry = await events.read(position);
      return { position, at: entry?.at ?? '', token: entry?.token ?? '', isHeld: false };
    },
    async initialize(watch, { position, names, emit, beat }) {
      const observer = createScopeObserver(specOf(watch), names);
      const machine = createGapMachine(watch.spec, emit);
      const isSet = watch.spec.each === 'set';
      const isEnough = ({ newest }: { newest?: object }) => isSet && newest !== undefined;
      const pasts = await findPasts({ observer, read: events.read, position, isEnough, beat });
      // The set exists even when none of its events was read.
      if (isSet && pasts.size === 0) pasts.set(observer.nameOf(observer.numberOf('')), { counted: [], isOver: false });
      for (const [name, past] of pasts) {
        if (!isPresent(past) && !isSet) continue; // the entity was deleted
        machine.arm({ id: observer.numberOf(name), version: position }, gapStartOfEvents(watch, past));
      }
      return { machine, observer, position, declared: { fields: {} } };
    },
  };
}

function specOf({ id, spec }: Watch): EventWatchSpec {
  if (!observesEvents(spec)) throw new SlipwayError('internal', `watch ${id} has no stream`);
  return spec;
}
