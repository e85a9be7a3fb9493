import { parseStoredRow } from '../../reference/columns/index.js';
import type { Declaration } from '../../reference/dataset/replica.js';
import type { Change } from '../../reference/dataset/change.js';
import { leavesOf } from '../../reference/dataset/dataset-leaves.js';
import { cacheByDeclaration } from '../../reference/dataset/declaration-cache.js';
import { geoPointsOf } from '../../reference/dataset/geo-point.js';
import { rowBefore } from '../../notifications/events/event-row.js';
import { type Filter, type FilterTarget, parseFilter } from '../../reference/filter/index.js';
import { compileRule, compileTextRule } from '../../reference/filter/rule.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { Datasets, ReadyDataset } from '../../reference/stores/datasets.js';
import type { RowWrite } from '../../reference/stores/row-writes.js';
import type { Client } from './state.js';

type Ruled = Pick<Client, 'rowFilters'>;

/**
 * Returns the filter that the key of a client sets for a dataset; undefined: the client sees every row.
 * @throws auth.row_filter when the declaration has changed so that the filter is not valid any more
 */
export function ruleFor({ rowFilters }: Ruled, target: FilterTarget): Filter | undefined {
  const text = rowFilters?.get(target.dataset);
  if (text === undefined) return undefined;
  const result = parseFilter(text, target);
  if (result.ok) return result.filter;
  const message = `the row filter of the key does not fit the declaration of ${target.dataset}: issue another key`;
  throw new SlipwayError('auth.row_filter', message);
}

/**
 * Refuses versions before the declaration in force: columns have no value where an earlier declaration had another type.
 * @throws auth.row_filter
 */
export function requireDeclaredAt(
  rule: Filter | undefined,
  { position }: Pick<Declaration, 'position'>,
  version: number,
) {
  if (rule === undefined || version >= position) return;
  const message = `the row filter of the key is not applied to versions before ${position}: read that version or a later one`;
  throw new SlipwayError('auth.row_filter', message);
}

const declared = cacheByDeclaration((spec) => {
  const leaves = leavesOf(spec);
  return { leaves, points: geoPointsOf(spec, leaves) };
});

/** Whether a client sees a stored row. */
export type SeesRow = (body: string) => boolean;

/** Returns the test of single rows; undefined: the client sees every row. @throws auth.row_filter */
export function rowTestFor(client: Ruled, { dataset, declaration }: ReadyDataset): SeesRow | undefined {
  const rule = ruleFor(client, { dataset: dataset.name, ...declared(declaration.spec) });
  if (rule === undefined) return undefined;
  return compileTextRule(rule);
}

/**
 * Returns a change as a client sees it: a row that comes into sight is created, and one that leaves it is deleted,
 * without its former values. Undefined for a change of a row that was and is out of sight.
 */
export function changeTestFor(
  client: Ruled,
  { dataset, declaration }: ReadyDataset,
): ((change: Change) => Change | undefined) | undefined {
  const rule = ruleFor(client, { dataset: dataset.name, ...declared(declaration.spec) });
  if (rule === undefined) return undefined;
  const sees = compileRule(rule);
  return (change) => {
    if (change.refused) return undefined;
    const { body, previous, ...rest } = change;
    const now = body === null ? {} : parseStoredRow(body);
    const saw = previous !== undefined && sees(rowBefore(change, now));
    if (body !== null && sees(now)) return saw ? change : { ...rest, body };
    if (!saw) return undefined;
    return body === null ? change : { ...rest, body: null };
  };
}

interface WriteRestriction {
  datasets: Datasets;
  /** Whether the write may create a row: otherwise a row out of sight is answered as one that is not there. */
  creates: boolean;
}

/**
 * Restricts the writes of a client to rows that it sees, before and after the write.
 * @throws auth.row_filter, entity.not_found
 */
export function restrictWrite(client: Ruled, write: RowWrite, { datasets, creates }: WriteRestriction): RowWrite {
  const { rowFilters } = client;
  if (rowFilters === undefined) return write;
  const { dataset: name, id, check } = write;
  const isHidden = (body: string) => rowTestFor(client, datasets.get(name))?.(body) === false;
  return {
    ...write,
    check(current, declaration) {
      // Before the precondition, whose refusal shows the version of the row.
      const isSeen = current?.body != null && !isHidden(current.body);
      if (rowFilters.has(name) && !isSeen) {
        if (!creates) throw new SlipwayError('entity.not_found', `${name} has no entity ${id}`);
        if (current?.body != null) throw refusal(name);
      }
      check?.(current, declaration);
    },
    accept(body) {
      if (isHidden(body)) throw refusal(name);
    },
    sees(target, id) {
      const ready = datasets.get(target);
      const { rows } = ready.dataset.replica;
      return rowTestFor(client, ready)?.(rows.bytes(rows.find(id)).toString()) ?? true;
    },
  };
}

const refusal = (dataset: string): SlipwayError =>
  new SlipwayError(
    'auth.row_filter',
    `the row filter of the key for ${dataset} does not allow this row: write another`,
  );

/** @throws auth.row_filter for a client whose key has a row filter for the dataset, or for any without a name */
export function requireUnruled({ rowFilters }: Ruled, dataset?: string): void {
  if (rowFilters === undefined || (dataset !== undefined && !rowFilters.has(dataset))) return;
  throw new SlipwayError(
    'auth.row_filter',
    'the key has row filters, which this request does not apply: use search, lookup, fetch, changes or the graph',
  );
}
