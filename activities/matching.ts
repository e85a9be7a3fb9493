import { eventLeavesOf } from '../reference/event-row.js';
import { parseFilter } from '../reference/filter/index.js';
import { compileRowPredicate, type RowPredicate } from '../reference/filter/row-predicate.js';
import type { DatasetSpec } from '../resources/dataset.js';
import type { SourceEvent } from '../resources/source-event.js';
import type { Subscription } from '../resources/subscription.js';
import type { Matching } from './minting.js';

type Spec = Pick<DatasetSpec, 'fields'>;

/**
 * What of all events a subscription wants: its types, and of those with fields what its filter takes. A type whose
 * declaration has lost the fields of the filter goes by the declaration that still had them.
 */
export function createMatching({ spec, status }: Pick<Subscription, 'spec' | 'status'>): Matching {
  const specs = new Map<string, Spec>(Object.entries(status.declarations));
  const predicates = new Map<string, RowPredicate>();
  const isWanted = wants(spec.types);

  function compile(dataset: string, declared: Spec): void {
    if (spec.filter === null) return;
    const result = parseFilter(spec.filter, { dataset, leaves: eventLeavesOf(declared) });
    if (result.ok) predicates.set(dataset, compileRowPredicate(result.filter));
  }
  for (const [dataset, declared] of specs) compile(dataset, declared);

  function fulfils({ row, stream }: SourceEvent): boolean {
    const predicate = predicates.get(stream);
    return row === undefined || predicate === undefined || predicate(row());
  }

  return {
    payload: spec.payload,
    matches: (event) => isWanted(event.type) && fulfils(event),
    declared(dataset, declared) {
      specs.set(dataset, declared);
      compile(dataset, declared);
    },
    specOf: (dataset) => specs.get(dataset) ?? { fields: {} },
  };
}

/** Whether one of these names, of which `a.b.*` stands for a family, is the name of a type. */
export function wants(types: readonly string[]): (type: string) => boolean {
  const names = new Set(types);
  const families = types.flatMap((type) => (type.endsWith('.*') ? type.slice(0, -1) : []));
  return (type) => names.has(type) || families.some((family) => type.startsWith(family));
}
