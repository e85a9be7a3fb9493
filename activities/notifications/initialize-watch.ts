import { setImmediate as othersTurn } from 'node:timers/promises';
import type { DatasetWatchSpec, Watch } from '../../notifications/kinds/watch.js';
import type { LiveDataset } from '../../reference/stores/live-dataset.js';
import { createGapMachine, type GapEvent } from '../../notifications/watches/gap-machine.js';
import { findGapStart, type GapStart, type GapStartOptions } from '../../notifications/watches/gap-start.js';
import { createObserver, THE_SET } from '../../notifications/watches/observer.js';
import type { DatasetSpec } from '../../reference/dataset/dataset.js';
import type { InitializedWatch } from './watch-source.js';

export interface InitializeWatchOptions {
  watch: Pick<Watch, 'createdAt'>;
  spec: DatasetWatchSpec;
  dataset: LiveDataset;
  declared: Pick<DatasetSpec, 'fields'>;
  tell: (told: GapEvent) => void;
  beat: () => void;
}

/** Rows that are looked at before others have their turn, and histories that are read at once. */
const ROWS_AT_ONCE = 5_000;
const READS_AT_ONCE = 32;

/** Everything that is in the scope of a watch now, each with the change that its gap began with. */
export async function initializeWatch({
  watch,
  spec,
  dataset,
  declared,
  tell,
  beat,
}: InitializeWatchOptions): Promise<InitializedWatch> {
  const { replica, records } = dataset;
  const { rows, position } = replica;
  const observer = createObserver(spec, declared);
  const machine = createGapMachine(spec, tell);
  const createdAt = Date.parse(watch.createdAt);
  const find = {
    counts: spec.counts,
    armAt: spec.arm_at,
    createdAt,
    observer,
    read: (id: string, version: number) => records.get(id, version),
  };
  let newest: GapStart | undefined;

  async function look(row: number): Promise<void> {
    const [id, version, body] = [rows.id(row), rows.version(row), rows.bytes(row).toString()];
    const { member, dwells } = observer.membershipOf(body);
    if (!member) return;
    const begun = dwells
      ? await findGapStart(find satisfies GapStartOptions, { id: String(id), version, body })
      : undefined;
    if (spec.each === 'entity') machine.arm({ id, version }, begun);
    else if (begun !== undefined && begun.since > (newest?.since ?? -Infinity)) {
      newest = { gap: rows.from(row), since: begun.since };
    }
  }

  const reads: Promise<void>[] = [];
  for (let row = 0, end = rows.end(); row < end; row += 1) {
    // A row that was replaced meanwhile is still the one of this position.
    if (rows.isAt(row, position)) reads.push(look(row));
    if (reads.length >= READS_AT_ONCE) await Promise.all(reads.splice(0));
    if (row % ROWS_AT_ONCE === 0) {
      await othersTurn();
      beat();
    }
  }
  await Promise.all(reads);
  if (spec.each === 'set') {
    const nothing = spec.arm_at === 'creation' ? { gap: 0, since: createdAt } : undefined;
    machine.arm({ id: THE_SET, version: position }, newest ?? nothing);
  }
  return { machine, observer, position };
}
