/** A figure of a campaign, beside its bar if it has one. */
export interface Line {
  name: string;
  value: string;
  bar?: { text: string; holds: boolean };
}

/** A figure that must be 0. */
export const zero = (name: string, value: number): Line => ({
  name,
  value: `${value}`,
  bar: { text: '0', holds: value === 0 },
});

export const list = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ') || '-';

/** @returns the lines as text, and whether every bar holds */
export function toText(lines: readonly Line[]): { text: string; holds: boolean } {
  const width = Math.max(18, ...lines.map(({ name }) => name.length));
  const rows = lines.map(({ name, value, bar }) => {
    const verdict = bar === undefined ? '' : `   bar ${bar.text}: ${bar.holds ? 'reached' : 'NOT REACHED'}`;
    return `${name.padEnd(width)} ${value}${verdict}`;
  });
  return { text: rows.join('\n'), holds: lines.every(({ bar }) => bar?.holds !== false) };
}
