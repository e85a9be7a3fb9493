import { type Line, list, toText, zero } from '../chaos/lines.js';
import type { SteadyFigures } from './run.js';

/** The figures beside their bars. @returns the text, and whether every bar holds */
export function toSteadyTable(figures: SteadyFigures): { text: string; holds: boolean } {
  const { calls, seconds, events, failed, harmed, records } = figures;
  const lines: Line[] = [
    { name: 'calls', value: `${calls} in ${seconds} s` },
    { name: 'events', value: list(events) },
    zero('failed', failed.length),
    { name: 'failed by broken candidates', value: `${harmed}` },
    ...Object.entries(records).flatMap(([tag, { lost, doubled }]) => [
      zero(`${tag} lost`, lost),
      zero(`${tag} doubled`, doubled),
    ]),
  ];
  const { text, holds } = toText(lines);
  return { text: [text, ...failed.slice(0, 20)].join('\n'), holds };
}
