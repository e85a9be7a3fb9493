import type { Endpoint } from '../lifecycle/kinds/endpoint.js';

/** Longer than any call, and than the time between two scrapes: the last counts are read. */
const KEPT_MS = 11 * 60_000;

/** The labels of one revision. */
export interface RevisionLabels {
  deployment: string;
  revision: string;
}

interface Series {
  labels: RevisionLabels;
  codes: Set<string>;
  /** When the revision left the route table. */
  leftAt?: number | undefined;
}

interface DeploymentSeriesOptions {
  /** Removes the series of a revision. */
  remove: (labels: RevisionLabels, codes: readonly string[]) => void;
  now?: () => number;
}

/** Keeps the number of series bounded: those of a revision are removed some minutes after it left the route table. */
export function createDeploymentSeries({ remove, now = () => performance.now() }: DeploymentSeriesOptions) {
  const known = new Map<string, Series>();
  const keyOf = ({ id, generation }: Pick<Endpoint, 'id' | 'generation'>): string => `${id}/${generation}`;

  return {
    /** Returns the labels of a revision. */
    labelsOf(endpoint: Pick<Endpoint, 'id' | 'generation'>): RevisionLabels {
      const key = keyOf(endpoint);
      const found = known.get(key);
      if (found !== undefined) return found.labels;
      const labels = { deployment: endpoint.id, revision: String(endpoint.generation) };
      known.set(key, { labels, codes: new Set() });
      return labels;
    },

    noteCode({ deployment, revision }: RevisionLabels, code: string): void {
      known.get(`${deployment}/${revision}`)?.codes.add(code);
    },

    retain(endpoints: readonly Pick<Endpoint, 'id' | 'generation'>[]): void {
      const served = new Set(endpoints.map(keyOf));
      for (const [key, series] of known) {
        series.leftAt = served.has(key) ? undefined : (series.leftAt ?? now());
        if (series.leftAt === undefined || now() - series.leftAt < KEPT_MS) continue;
        known.delete(key);
        remove(series.labels, [...series.codes]);
      }
    },
  };
}
