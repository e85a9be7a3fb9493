import type { Watch } from '../../../notifications/kinds/watch.js';
import { createGapMachine } from '../../../notifications/watches/gap-machine.js';
import type { WatchCheckpoint } from '../../../notifications/stores/watch-checkpoints.js';
import { settingsFingerprint } from './active-watch.js';
import type { DatasetWatches } from './dataset-watches.js';
import type { WatchSource } from './watch-source.js';

/** Encodes the state of all watches at a position of the log. */
export function toCheckpoint(
  { active, state }: Pick<DatasetWatches, 'active' | 'state'>,
  { position, at }: { position: number; at: string },
): WatchCheckpoint {
  const all = [...active.values()];
  const parts = all.map(({ machine }) => machine.encode());
  const watches = all.map(({ watch, observer }, index) => ({
    id: watch.id,
    basis: settingsFingerprint(watch),
    length: parts[index]?.length ?? 0,
    names: observer.names(),
  }));
  return { position, at, token: state.token, ...state.declared, watches, gaps: Buffer.concat(parts) };
}

/** Restores the watches of a checkpoint whose settings did not change since. The others have to be initialized. */
export function restoreCheckpoint(
  saved: WatchCheckpoint,
  { watches, source, into }: { watches: readonly Watch[]; source: Pick<WatchSource, 'observe'>; into: DatasetWatches },
): void {
  const { fields, generation, token, position } = saved;
  into.resume({ declared: { fields, ...(generation !== undefined && { generation }) }, token });
  let start = 0;
  for (const { id, basis, length, names } of saved.watches) {
    const watch = watches.find((each) => each.id === id && settingsFingerprint(each) === basis);
    if (watch !== undefined) {
      const machine = createGapMachine(watch.spec, into.emitterOf(id));
      machine.decode(saved.gaps.subarray(start, start + length));
      if (watch.status.state === 'paused') machine.pause();
      into.add({ watch, machine, observer: source.observe(watch, fields, names), position });
    }
    start += length;
  }
}
