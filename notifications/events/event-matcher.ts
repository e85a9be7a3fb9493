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
export const createEventMatcher = (settings: EventMatcherSettings): EventMatcher => new Matcher(settings);

/** One of perhaps 100,000 in a process: it holds no more of its subscription than it needs. */
class Matcher implements EventMatcher {
  readonly payload: Payload;
  readonly #id: string;
  readonly #types: readonly string[];
  readonly #filter: string | null;
  readonly #specs: Map<string, DeclaredFields>;
  /** By family of types; `undefined`: the filter does not fit. */
  readonly #predicates = new Map<string, RowPredicate | undefined>();

  constructor({ id, spec, status }: EventMatcherSettings) {
    this.payload = spec.payload;
    this.#id = id;
    this.#types = spec.types;
    this.#filter = spec.filter;
    this.#specs = new Map(Object.entries(status.declarations));
    for (const [dataset, declared] of this.#specs) this.#declare(dataset, declared);
  }

  wants(type: string): boolean {
    return matchesAnyType(this.#types)(type);
  }

  matches(event: SourceEvent): boolean {
    return this.wants(event.type) && !isAboutSubscription(this.#id, event) && this.#fulfils(event);
  }

  declared(dataset: string, declared: DeclaredFields): void {
    this.#specs.set(dataset, declared);
    this.#declare(dataset, declared);
  }

  specOf(dataset: string): DeclaredFields {
    return this.#specs.get(dataset) ?? { fields: {} };
  }

  #declare(dataset: string, declared: DeclaredFields): void {
    if (this.#filter !== null)
      this.#compile(this.#filter, `dataset.${dataset}`, { dataset, leaves: eventLeavesOf(declared) });
  }

  #compile(filter: string, family: string, scope: { dataset: string; leaves: ReadonlyMap<string, Leaf> }): void {
    try {
      const result = parseFilter(filter, scope);
      if (result.ok) this.#predicates.set(family, compileRowPredicate(result.filter));
    } catch (err) {
      // A bug fails the events that the filter is for, one by one, and not the whole subscription.
      this.#predicates.set(family, () => {
        throw err;
      });
    }
  }

  #predicateOf(filter: string, type: string): RowPredicate | undefined {
    const family = familyOf(type);
    const leaves = this.#predicates.has(family) ? undefined : platformLeaves(type);
    if (leaves !== undefined) {
      this.#predicates.set(family, undefined);
      this.#compile(filter, family, { dataset: family, leaves });
    }
    return this.#predicates.get(family);
  }

  #fulfils({ row, type }: SourceEvent): boolean {
    const predicate = this.#filter === null ? undefined : this.#predicateOf(this.#filter, type);
    return row === undefined || predicate === undefined || predicate(row());
  }
}

/** Whether one of these names takes a type. */
export const matchesAnyType =
  (types: readonly string[]) =>
  (type: string): boolean =>
    types.some((name) => matchesType(name, type));
