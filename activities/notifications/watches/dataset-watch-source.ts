import { SlipwayError } from '../../../platform/kinds/errors.js';
import type { Datasets } from '../../../reference/stores/datasets.js';
import { createObserver, observesDataset } from '../../../notifications/watches/observer.js';
import { initializeWatch } from './initialize-watch.js';
import type { WatchSource } from './watch-source.js';

/** A dataset as a watch source: its rows are the content of a scope. */
export function createDatasetWatchSource(datasets: Pick<Datasets, 'need'>, name: string): WatchSource {
  return {
    async end() {
      const { replica } = (await datasets.need(name)).dataset;
      const { position, at } = replica;
      return { position, at, token: replica.head()?.token ?? '', isHeld: replica.heldBy !== undefined };
    },
    async initialize(watch, { position, ...rest }) {
      const { dataset, declaration } = await datasets.need(name);
      const declared = { fields: declaration.spec.fields, generation: declaration.generation };
      if (!observesDataset(watch.spec) || !(await dataset.follower.waitFor(position, 5_000))) return undefined;
      if (dataset.replica.heldBy !== undefined) return undefined;
      return { ...(await initializeWatch({ watch, spec: watch.spec, dataset, declared, ...rest })), declared };
    },
    observe({ id, spec }, fields) {
      if (!observesDataset(spec)) throw new SlipwayError('internal', `watch ${id} has no dataset`);
      return createObserver(spec, { fields });
    },
  };
}
