import { PLATFORM_TYPES } from '../events/catalogue.js';
import { familyOf, matchesType } from '../events/event-type.js';
import { createEventMatcher } from '../events/event-matcher.js';
import { platformLeaves } from '../events/platform-leaves.js';
import { parseFilter } from '../../reference/filter/index.js';
import { platformEventOf } from '../events/stream-events.js';
import type { EventEntry } from '../../platform/kinds/platform-event.js';
import type { EventWatchSpec } from '../kinds/watch.js';
import { createEventObserver, type EventObserver } from './event-observer.js';

/**
 * Creates the observer of a scope.
 * @param names of the observer before: numbers stay what they are
 */
export function createScopeObserver(spec: EventWatchSpec, names?: readonly string[]): EventObserver {
  const { stream, types, filter } = spec.scope;
  const matcher = (wanted: readonly string[]) => {
    const settings = { types: [...wanted], filter, payload: 'full' as const };
    // A watch is no subscription, so that nothing is about it.
    const matching = createEventMatcher({ id: '', spec: settings, status: { declarations: {} } });
    return (entry: EventEntry) => matching.matches(platformEventOf(stream, entry));
  };
  const isNear = matcher(familiesOf(spec.scope).map((family) => `${family}.*`));
  return createEventObserver({
    spec,
    matches: matcher(types),
    isNear,
    isTaken: (entry) => applies(filter, entry.event.type) && isNear(entry),
    ...(names && { names }),
  });
}

/** Families of the types; a pipeline is there from its creation to its deletion, whatever of its runs is named. */
function familiesOf({ types, by }: EventWatchSpec['scope']): string[] {
  const named = PLATFORM_TYPES.filter(({ type }) => types.some((name) => matchesType(name, type)));
  const families = new Set(named.map(({ type }) => familyOf(type)));
  const arePipelines = families.has('pipeline.run') || families.has('pipeline.schedule');
  if (by === null && arePipelines) families.add('pipeline.definition');
  return [...families];
}

function applies(filter: string | null, type: string): boolean {
  const leaves = platformLeaves(type);
  return filter === null || (leaves !== undefined && parseFilter(filter, { dataset: familyOf(type), leaves }).ok);
}
