import { SlipwayError } from '../../platform/kinds/errors.js';
import type { EventWatchSpec, Watch } from '../../notifications/kinds/watch.js';
import type { EventStream } from '../../platform/stores/event-stream.js';
import { gapStartOfEvents, findPasts, isPresent } from '../../notifications/watches/event-past.js';
import { createScopeObserver } from '../../notifications/watches/event-scope.js';
import { createGapMachine } from '../../notifications/watches/gap-machine.js';
import { observesEvents } from '../../notifications/watches/observer.js';
import type { WatchSource } from './watch-source.js';

/** The events of the platform: what a watch names is to go on happening, once for all or for each thing that it is about. */
export function createEventWatchSource(events: Pick<EventStream, 'read' | 'end'>): WatchSource {
  return {
    observe: (watch, _fields, names) => createScopeObserver(specOf(watch), names),
    async end() {
      const position = await events.end();
      const entry = await events.read(position);
      return { position, at: entry?.at ?? '', token: entry?.token ?? '', isHeld: false };
    },
    async arm(watch, { position, names, tell, beat }) {
      const observer = createScopeObserver(specOf(watch), names);
      const machine = createGapMachine(watch.spec, tell);
      const isSet = watch.spec.each === 'set';
      const isEnough = ({ newest }: { newest?: object }) => isSet && newest !== undefined;
      const pasts = await findPasts({ observer, read: events.read, position, isEnough, beat });
      // The whole set is there though nothing of it was heard.
      if (isSet && pasts.size === 0) pasts.set(observer.nameOf(observer.numberOf('')), { counted: [], isOver: false });
      for (const [word, past] of pasts) {
        if (!isPresent(past) && !isSet) continue; // it is gone
        machine.arm({ id: observer.numberOf(word), version: position }, gapStartOfEvents(watch, past));
      }
      return { machine, observer, position, declared: { fields: {} } };
    },
  };
}

function specOf({ id, spec }: Watch): EventWatchSpec {
  if (!observesEvents(spec)) throw new SlipwayError('internal', `watch ${id} is about no stream`);
  return spec;
}
