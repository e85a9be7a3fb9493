import type { Campaign, Level } from './campaign.js';

interface Line {
  name: string;
  value: string;
  bar?: { text: string; holds: boolean };
}

/** The figures beside their bars. @returns the text, and whether every bar holds */
export function toTable(level: Level, { figures, faults, kills, seconds }: Campaign): { text: string; holds: boolean } {
  const { notices, ways } = figures;
  const zero = (name: string, value: number): Line => ({
    name,
    value: `${value}`,
    bar: { text: '0', holds: value === 0 },
  });
  const list = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .filter(([, count]) => count > 0)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ') || '-';
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
  const rows = lines.map(({ name, value, bar }) => {
    const verdict = bar === undefined ? '' : `   bar ${bar.text}: ${bar.holds ? 'reached' : 'NOT REACHED'}`;
    return `${name.padEnd(18)} ${value}${verdict}`;
  });
  return { text: rows.join('\n'), holds: lines.every(({ bar }) => bar?.holds !== false) };
}
