import type { Campaign, Level } from './campaign.js';
import { type Line, list, toText, zero } from './lines.js';

/** The figures beside their bars. @returns the text, and whether every bar holds */
export function toTable(level: Level, { figures, faults, kills, seconds }: Campaign): { text: string; holds: boolean } {
  const { notices, ways } = figures;
  const [most, text] =
    level === 'hold' || level === 'L2' ? [0, '0'] : [figures.ambiguous, `<= ${figures.ambiguous} AMBIGUOUS`];
  const lines: Line[] = [
    { name: 'notices', value: `${notices} in ${seconds} s` },
    zero('lost', figures.lost),
    level === 'L0'
      ? { name: 'doubled effects', value: `${figures.doubledEffects}` }
      : zero('doubled effects', figures.doubledEffects),
    {
      name: 'duplicate POSTs',
      value: `${figures.duplicatePosts}`,
      bar: { text, holds: figures.duplicatePosts <= most },
    },
    { name: 'refused repeats', value: `${figures.refusedPosts}` },
    zero('unexplained POSTs', figures.unexplainedPosts),
    zero('order violations', figures.orderViolations),
    zero('changed bytes', figures.changedBytes),
    {
      name: 'AMBIGUOUS',
      value: `${figures.ambiguous} (${((figures.ambiguous * 1_000) / notices).toFixed(1)} per 1,000)`,
    },
    { name: 'cleared up by', value: list(ways) },
    { name: 'faults', value: list(faults) },
    { name: 'killed', value: list(kills) },
  ];
  return toText(lines);
}
