import { eventLeavesOf } from './event-row.js';
import { parseFilter } from '../../reference/filter/index.js';
import { compileRowPredicate, type RowPredicate } from '../../reference/filter/row-predicate.js';
import type { Leaf } from '../../reference/dataset/dataset-leaves.js';
import type { DeclaredFields } from '../../reference/dataset/dataset.js';
import type { Payload, SourceEvent } from '../../platform/kinds/source-event.js';
import { isAboutSubscription } from './subscription-events.js';
import type { SubscriptionSpec, SubscriptionStatus } from '../kinds/subscription.js';
import { familyOf, matchesType } from './event-type.js';
import { platformLeaves } from './platform-leaves.js';

/** The types and the filter of a subscription, applied to events. */
export interface EventMatcher {
  payload: Payload;
  /** Whether the subscription names a type; its filter may still refuse an event of it. */
  wants(type: string): boolean;
  matches(event: SourceEvent): boolean;
  /** Sets a new declaration of a dataset: filters are typed by it. */
  declared(dataset: string, declared: DeclaredFields): void;
  specOf(dataset: string): DeclaredFields;
}

export interface EventMatcherSettings {
  id: string;
  spec: Pick<SubscriptionSpec, 'types' | 'filter' | 'payload'>;
  status: Pick<SubscriptionStatus, 'declarations'>;
}

/**
 * Creates the matcher of a subscription: its types, and its filter for types that have the fields. A type that does not
 * have the fields of the filter is not filtered; a dataset whose declaration has lost them goes by the one that had them.
 */
export function createEventMatcher({ id, spec, status }: EventMatcherSettings): EventMatcher {
  const specs = new Map<string, DeclaredFields>(Object.entries(status.declarations));
  /** By family of types; `undefined`: the filter does not fit. */
  const predicates = new Map<string, RowPredicate | undefined>();
  const isWanted = matchesAnyType(spec.types);

  function compile(family: string, dataset: string, leaves: ReadonlyMap<string, Leaf>): void {
    if (spec.filter === null) return;
    try {
      const result = parseFilter(spec.filter, { dataset, leaves });
      if (result.ok) predicates.set(family, compileRowPredicate(result.filter));
    } catch (err) {
      // A bug fails the events that the filter is for, one by one, and not the whole subscription.
      predicates.set(family, () => {
        throw err;
      });
    }
  }

  function declare(dataset: string, declared: DeclaredFields): void {
    compile(`dataset.${dataset}`, dataset, eventLeavesOf(declared));
  }
  for (const [dataset, declared] of specs) declare(dataset, declared);

  function predicateOf(type: string): RowPredicate | undefined {
    const family = familyOf(type);
    const leaves = predicates.has(family) ? undefined : platformLeaves(type);
    if (leaves !== undefined) {
      predicates.set(family, undefined);
      compile(family, family, leaves);
    }
    return predicates.get(family);
  }

  function fulfils({ row, type }: SourceEvent): boolean {
    const predicate = predicateOf(type);
    return row === undefined || predicate === undefined || predicate(row());
  }

  return {
    payload: spec.payload,
    wants: isWanted,
    matches: (event) => isWanted(event.type) && !isAboutSubscription(id, event) && fulfils(event),
    declared(dataset, declared) {
      specs.set(dataset, declared);
      declare(dataset, declared);
    },
    specOf: (dataset) => specs.get(dataset) ?? { fields: {} },
  };
}

/** Whether one of these names takes a type. */
export function matchesAnyType(types: readonly string[]): (type: string) => boolean {
  const known = new Map<string, boolean>();
  return (type) => {
    const answer = known.get(type) ?? types.some((name) => matchesType(name, type));
    known.set(type, answer);
    return answer;
  };
}
