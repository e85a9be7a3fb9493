import { setImmediate as yieldToLoop } from 'node:timers/promises';
import type { DatasetWatchSpec, Watch } from '../../../notifications/kinds/watch.js';
import type { LiveDataset } from '../../../reference/stores/live-dataset.js';
import { createGapMachine, type GapEvent } from '../../../notifications/watches/gap-machine.js';
import { findGapStart, type GapStart, type GapStartOptions } from '../../../notifications/watches/gap-start.js';
import { createObserver, THE_SET } from '../../../notifications/watches/observer.js';
import type { DatasetSpec } from '../../../reference/dataset/dataset.js';
import type { InitializedWatch } from './watch-source.js';

export interface InitializeWatchOptions {
  watch: Pick<Watch, 'createdAt'>;
  spec: DatasetWatchSpec;
  dataset: LiveDataset;
  declared: Pick<DatasetSpec, 'fields'>;
  emit: (event: GapEvent) => void;
  beat: () => void;
}

/** Rows that are read before other tasks of the event loop run, and histories that are read at once. */
const ROWS_AT_ONCE = 5_000;
const READS_AT_ONCE = 32;

/** Initializes a watch with every row in its scope, each with the change that its gap started with. */
export async function initializeWatch({
  watch,
  spec,
  dataset,
  declared,
  emit,
  beat,
}: InitializeWatchOptions): Promise<InitializedWatch> {
  const { replica, records } = dataset;
  const { rows, position } = replica;
  const observer = createObserver(spec, declared);
  const machine = createGapMachine(spec, emit);
  const createdAt = Date.parse(watch.createdAt);
  const find = {
    counts: spec.counts,
    armAt: spec.arm_at,
    createdAt,
    observer,
    read: (id: string, version: number) => records.get(id, version),
  };
  let newest: GapStart | undefined;

  async function addRow(row: number): Promise<void> {
    const [id, version, body] = [rows.id(row), rows.version(row), rows.bytes(row).toString()];
    const { member, dwells } = observer.membershipOf(body);
    if (!member) return;
    const start = dwells
      ? await findGapStart(find satisfies GapStartOptions, { id: String(id), version, body })
      : undefined;
    if (spec.each === 'entity') machine.arm({ id, version }, start);
    else if (start !== undefined && start.since > (newest?.since ?? -Infinity)) {
      newest = { gap: rows.from(row), since: start.since };
    }
  }

  const reads: Promise<void>[] = [];
  for (let row = 0, end = rows.end(); row < end; row += 1) {
    // `rows` keeps the version of this position when a row is replaced meanwhile.
    if (rows.isAt(row, position)) reads.push(addRow(row));
    const yields = row % ROWS_AT_ONCE === 0;
    // Before the loop yields: a read that fails while nothing awaits it would end the process.
    if (yields || reads.length >= READS_AT_ONCE) await Promise.all(reads.splice(0));
    if (yields) {
      await yieldToLoop();
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
