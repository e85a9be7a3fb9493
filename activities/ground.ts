import type { DatasetSpec, DeclaredFields } from '../resources/dataset.js';
import { SlipwayError } from '../resources/errors.js';
import type { Watch } from '../resources/watch.js';
import type { Datasets } from '../stores/datasets.js';
import type { GapMachine, Told } from '../watches/gap-machine.js';
import { createObserver, type Observer, observesDataset } from '../watches/observer.js';
import { armWatch } from './arming.js';

/** A watch with what is known of everything in its scope. */
export interface Armed {
  machine: GapMachine;
  observer: Observer;
  /** Entries up to here are in it. */
  position: number;
}

export interface ArmingAt {
  /** How far the log was read. */
  position: number;
  tell: (told: Told) => void;
  beat: () => void;
  /** Of what was watched before: numbers stay what they are. */
  names?: readonly string[];
}

/** What a log is about, for those who watch it: where one begins, and what is to be seen in its entries. */
export interface Ground {
  /** The end of the log, for who knows nothing of it. `isHeld`: an import keeps changes back. */
  end(): Promise<{ position: number; at: string; token: string; isHeld: boolean }>;
  /** @returns undefined when it cannot be said just now what is in the scope */
  arm(watch: Watch, at: ArmingAt): Promise<(Armed & { declared: DeclaredFields }) | undefined>;
  /** @param names of the observer before */
  observe(watch: Watch, fields: DatasetSpec['fields'], names?: readonly string[]): Observer;
}

/** A dataset: what is in a scope are its rows. */
export function createDatasetGround(datasets: Pick<Datasets, 'need'>, name: string): Ground {
  return {
    async end() {
      const { replica } = (await datasets.need(name)).dataset;
      const { position, at } = replica;
      return { position, at, token: replica.head()?.token ?? '', isHeld: replica.heldBy !== undefined };
    },
    async arm(watch, { position, ...rest }) {
      const { dataset, declaration } = await datasets.need(name);
      const declared = { fields: declaration.spec.fields, generation: declaration.generation };
      if (!observesDataset(watch.spec) || !(await dataset.follower.waitFor(position, 5_000))) return undefined;
      if (dataset.replica.heldBy !== undefined) return undefined;
      return { ...(await armWatch({ watch, spec: watch.spec, dataset, declared, ...rest })), declared };
    },
    observe({ id, spec }, fields) {
      if (!observesDataset(spec)) throw new SlipwayError('internal', `watch ${id} is about no dataset`);
      return createObserver(spec, { fields });
    },
  };
}
