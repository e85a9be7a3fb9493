import type { DatasetSpec, DeclaredFields } from '../../../reference/dataset/dataset.js';
import type { Watch } from '../../../notifications/kinds/watch.js';
import type { GapMachine, GapEvent } from '../../../notifications/watches/gap-machine.js';
import type { Observer } from '../../../notifications/watches/observer.js';

/** A watch with the state of everything in its scope. */
export interface InitializedWatch {
  machine: GapMachine;
  observer: Observer;
  /** Entries up to this position are part of the state. */
  position: number;
}

export interface InitializeOptions {
  /** Position that the log was read to. */
  position: number;
  emit: (event: GapEvent) => void;
  beat: () => void;
  /** Names of the entities that were watched before; they keep their numbers. */
  names?: readonly string[];
}

/** A source that watches observe (a dataset or the event stream): where to start, and how to read its entries. */
export interface WatchSource {
  /** The end of the log, where a new evaluator starts. `isHeld`: an import holds changes back. */
  end(): Promise<{ position: number; at: string; token: string; isHeld: boolean }>;
  /** @returns undefined while the content of the scope is unknown */
  initialize(
    watch: Watch,
    at: InitializeOptions,
  ): Promise<(InitializedWatch & { declared: DeclaredFields }) | undefined>;
  /** @param names names of the previous observer */
  observe(watch: Watch, fields: DatasetSpec['fields'], names?: readonly string[]): Observer;
}
