import { type Line, list, toText, zero } from '../lines.js';
import type { NoticeFigures } from './notices.js';
import type { RunFigures } from './runs.js';
import { MOST_STALE_MS } from './service-log.js';
import type { ServingFigures } from './serving.js';

export interface ClusterCampaign {
  seconds: number;
  /** How often each fault occurred. */
  faults: Readonly<Record<string, number>>;
  notices: NoticeFigures;
  runs: RunFigures;
  serving: ServingFigures;
}

/** The figures beside their bars. @returns the text, and whether every bar holds */
export function toClusterTable({ seconds, faults, notices, runs, serving }: ClusterCampaign) {
  const most = MOST_STALE_MS / 1_000;
  const lines: Line[] = [
    { name: 'writes', value: `${notices.writes} in ${seconds} s` },
    zero('lost notices', notices.lost),
    zero('doubled effects', notices.doubled),
    { name: 'repeated POSTs', value: `${notices.repeats}` },
    { name: 'runs', value: `${runs.started}` },
    zero('lost runs', runs.lost),
    zero('runs run twice', runs.twice),
    zero('other ends of runs', runs.otherwise),
    { name: 'generations served', value: `${serving.generations}` },
    zero('lost changes', serving.lost),
    zero('failed generations', serving.failed),
    { name: 'answers', value: `${serving.answers}, ${serving.refused} calls without one` },
    {
      name: 'stale model, longest',
      value: `${(serving.longestStaleMs / 1_000).toFixed(1)} s`,
      bar: { text: `<= ${most} s`, holds: serving.stale === 0 },
    },
    zero('answers of another', serving.misrouted),
    { name: 'deleted', value: `${serving.deleted}` },
    zero(`answers ${most} s after it`, serving.ghostAnswers),
    zero('ghost routes', serving.ghostRoutes),
    zero('ghost containers', serving.ghostContainers),
    { name: 'faults', value: list(faults) },
  ];
  return toText(lines);
}
