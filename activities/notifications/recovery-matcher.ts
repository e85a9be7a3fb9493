import { parseJson, stringifyJson } from '../../reference/rows/json.js';
import { eventLeavesOf, toEventRow } from '../../notifications/events/event-row.js';
import { parseFilter } from '../../reference/filter/index.js';
import { compileRowPredicate, type RowPredicate } from '../../reference/filter/row-predicate.js';
import type { OutboxEvent } from '../../notifications/kinds/outbox-event.js';
import type { RecoverySpec } from '../../notifications/kinds/recovery.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import { matchesAnyType } from '../../notifications/events/event-matcher.js';

/** Matches events against a recovery; its filter is tested on the row that an event carries. */
export function createRecoveryMatcher({ types, filter, sequences }: RecoverySpec, { status }: Subscription) {
  const matchesType = types.length === 0 ? () => true : matchesAnyType(types);
  const selected = sequences && new Set(sequences.map(Number));
  const predicates = new Map<string, RowPredicate>();
  for (const [dataset, spec] of Object.entries(filter === null ? {} : status.declarations)) {
    const result = parseFilter(filter ?? '', { dataset, leaves: eventLeavesOf(spec) });
    if (result.ok) predicates.set(dataset, compileRowPredicate(result.filter));
  }

  function matchesFilter({ body, about }: OutboxEvent): boolean {
    const dataset = about.slice(0, about.indexOf('/'));
    const [predicate, spec] = [predicates.get(dataset), status.declarations[dataset]];
    const row = predicate && spec && rowOf(body);
    return row !== undefined && predicate?.(toEventRow(spec ?? { fields: {} }, row)) === true;
  }

  return (event: OutboxEvent): boolean =>
    (selected === null || selected.has(event.sequence)) &&
    matchesType(event.type) &&
    (filter === null || matchesFilter(event));
}

/** Returns the change that an event carries; `undefined` when it carries none. */
function rowOf(body: string) {
  const { data } = parseJson(body) as {
    data?: { entity_id?: unknown; version?: unknown; entity?: unknown; previous?: unknown };
  };
  if (data === undefined || !('entity' in data)) return undefined;
  const textOf = (value: unknown): string | undefined => (value == null ? undefined : stringifyJson(value));
  const previous = textOf(data.previous);
  return {
    id: String(data.entity_id),
    version: Number(data.version),
    body: textOf(data.entity) ?? null,
    ...(previous !== undefined && { previous }),
  };
}
