import type { DatasetWatchSpec } from '../../notifications/kinds/watch.js';
import type { Datasets } from '../../reference/stores/datasets.js';
import type { WatchState } from '../../notifications/stores/watch-states.js';
import { entityName, THE_SET } from '../../notifications/watches/observer.js';
import { findWatchedRow } from './watch-explanation.js';
import { gapStateOf, type GapStateOptions, WHY } from './watch-gap-state.js';

export interface SetExplanationOptions extends GapStateOptions {
  spec: DatasetWatchSpec;
  datasets: Pick<Datasets, 'get'>;
  /** A row, to explain whether its changes count; optional. */
  entity: string | undefined;
  /** The last report of the evaluator. */
  state: WatchState | undefined;
}

/**
 * Explains the gap of a watch of a whole set. Only the evaluator knows the last change that counted, because rows may
 * have left the set; so this shows its last report, a few seconds old at most.
 */
export async function explainSet({ spec, datasets, entity, state, ...options }: SetExplanationOptions) {
  const { watch } = options;
  const name = entityName(THE_SET);
  const row = entity === undefined || entity === name ? undefined : findWatchedRow({ spec, datasets, entity });
  const head = {
    watch: watch.id,
    entity_id: name,
    log_at: state?.log_at ?? null,
    ...(row && { row: { id: String(row.id), in_scope: !row.isOut, ...(row.isOut && { why: row.why }) } }),
  };
  const { set } = state ?? {};
  if (set === undefined) return { ...head, state: 'unknown', why: 'the watch has not evaluated its rows yet' };
  if (set.state === 'out') return { ...head, state: 'out', why: 'the dataset was dropped' };
  if (set.state === 'waiting') return { ...head, state: 'waiting', why: 'no change that counts has been seen' };
  const start = { gap: set.gap, since: set.since };
  const detail = await gapStateOf(options, { id: THE_SET, name, version: set.gap, start, earlier: [] });
  return { ...head, ...detail, ...(set.state === 'over' && { state: 'over', why: WHY.over }) };
}
