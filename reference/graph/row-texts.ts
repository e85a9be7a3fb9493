import type { RowStore } from '../row-store.js';
import type { DatasetView } from './view.js';
import type { Planned } from './work.js';

/** A version of a dataset that a text was read from. */
type Seen = Readonly<Pick<DatasetView, 'version'> & { rows: RowStore }>;

interface Kept {
  text: string;
  seen: readonly Seen[];
}

export type RowTexts = ReturnType<typeof createRowTexts>;

/** As many ways of showing a row as are kept. */
const MOST = 4;

/**
 * JSON texts of one row, by the fields that were asked for. A row never changes, and neither does what it refers to
 * within one version of the other datasets: a text holds as long as these are read in the same versions.
 */
export function createRowTexts() {
  const kept = new Map<readonly Planned[], Kept>();
  return {
    get(fields: readonly Planned[], views: readonly DatasetView[]): string | undefined {
      const found = kept.get(fields);
      const holds = found?.seen.every(({ rows, version }, at) => {
        const view = views[at];
        return view?.rows === rows && view.version === version;
      });
      return holds === true ? found?.text : undefined;
    },
    set(fields: readonly Planned[], views: readonly DatasetView[], text: string): void {
      if (kept.size >= MOST && !kept.has(fields)) kept.clear();
      kept.set(fields, { text, seen: views.map(({ rows, version }) => ({ rows, version })) });
    },
  };
}
