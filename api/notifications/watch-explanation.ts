import { requireId } from '../../reference/rows/id.js';
import type { DatasetWatchSpec } from '../../notifications/kinds/watch.js';
import type { Datasets } from '../../reference/stores/datasets.js';
import { findGapStart } from '../../notifications/watches/gap-start.js';
import { createObserver } from '../../notifications/watches/observer.js';
import { gapStateOf, type GapStateOptions } from './watch-gap-state.js';

export interface RowOptions {
  spec: DatasetWatchSpec;
  datasets: Pick<Datasets, 'get'>;
  entity: string;
}
export type ExplanationOptions = GapStateOptions & RowOptions;

/** Explains the gap of one entity from the stored changes, as the evaluator does. */
export async function explainEntity({ watch, spec, datasets, entity, wasEmitted, now }: ExplanationOptions) {
  const { dataset } = datasets.get(spec.scope.dataset);
  const row = findWatchedRow({ spec, datasets, entity });
  const { id } = row;
  const head = { watch: watch.id, entity_id: String(id), log_at: dataset.follower.at };
  if (row.isOut) return { ...head, state: 'out', why: row.why };
  const { observer, version, body } = row;
  if (!row.dwells) return { ...head, state: 'waiting', why: 'the dwell filter does not match the entity' };
  const start = await findGapStart(
    {
      counts: watch.spec.counts,
      armAt: watch.spec.arm_at,
      createdAt: Date.parse(watch.createdAt),
      observer,
      read: (rowId, at) => dataset.records.get(rowId, at),
    },
    { id: String(id), version, body },
  );
  if (start === undefined) return { ...head, state: 'waiting', why: 'no change has been seen since the watch began' };

  return {
    ...head,
    ...(await gapStateOf(
      { watch, wasEmitted, now },
      { id, version, name: String(id), start, earlier: range(start.gap - 1, Math.max(1, start.gap - MOST_GAPS)) },
    )),
    entity_version: version,
  };
}

/** Whether a row is in the scope of a watch now, and why not. */
export function findWatchedRow({ spec, datasets, entity }: RowOptions) {
  const { dataset, declaration } = datasets.get(spec.scope.dataset);
  const { rows } = dataset.replica;
  const id = requireId(entity);
  const out = (why: string) => ({ id, isOut: true, why }) as const;
  const row = rows.find(id);
  if (row < 0) return out(`${dataset.name} has no entity ${id}`);
  if (rows.isDeleted(row)) return out('the entity was deleted');
  const body = rows.bytes(row).toString();
  const observer = createObserver(spec, declaration.spec);
  const { member, dwells } = observer.membershipOf(body);
  if (!member) return out('the filter of the scope does not match the entity');
  return { id, isOut: false, body, version: rows.version(row), observer, dwells } as const;
}

/** Earlier gaps that are examined. */
const MOST_GAPS = 200;

const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, from - to + 1) }, (_, n) => from - n);
