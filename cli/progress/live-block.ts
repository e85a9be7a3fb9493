import type { WriteStream } from 'node:tty';
import { stripVTControlCharacters } from 'node:util';
import { createLogUpdate } from 'log-update';
import type { CliContext } from '../context.js';
import { colored } from '../output/state-color.js';
import { elapsed } from '../output/time.js';
import type { Display, Progress } from './progress.js';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const LOG_LINES = 4;
const ENDED = ['succeeded', 'failed', 'Ready', 'Failed', 'skipped'];

interface Row extends Progress {
  state: string;
  begunAt: number;
  endedAt: number | undefined;
  recent: string[];
}

/** A line per entity with its state, step and time, and below it the last lines of its log. */
export function createLiveBlock({ terminal, now }: CliContext, stream: WriteStream): Display {
  const draw = createLogUpdate(stream);
  const rows = new Map<string, Row>();
  const rowOf = (name: string): Row => {
    const row = rows.get(name) ?? { state: '', begunAt: now(), endedAt: undefined, recent: [] };
    rows.set(name, row);
    return row;
  };

  const { paintNote: paint } = terminal;
  const cut = (text: string, room = stream.columns - 6): string => {
    const letters = [...text];
    return letters.length <= room ? text : `${letters.slice(0, Math.max(20, room) - 1).join('')}…`;
  };
  const marks: Readonly<Record<string, string>> = {
    succeeded: '✓',
    Ready: '✓',
    failed: '✗',
    Failed: '✗',
    skipped: '-',
  };

  function toLines([name, { state, step, detail, begunAt, endedAt, recent }]: [string, Row], width: number): string[] {
    const frame = FRAMES[Math.floor(now() / 100) % FRAMES.length] ?? '';
    const mark = endedAt === undefined ? frame : colored(paint, state).replace(state, marks[state] ?? '•');
    const time = elapsed((endedAt ?? now()) - begunAt);
    const what = [step, detail].filter(Boolean).join('  ');
    // A line that is broken by the terminal would be one more than the block knows of.
    const room = stream.columns - 1 - ['✓ ' + name.padEnd(width), state, '', time].join('  ').length;
    const cells = [`${mark} ${name.padEnd(width)}`, colored(paint, state), cut(what, room), paint('dim', time)];
    const head = cells.filter((cell) => cell !== '').join('  ');
    const log = endedAt === undefined ? recent.map((line) => paint('dim', `  │ ${cut(line)}`)) : [];
    return [head, ...log];
  }

  const render = (): void => {
    const width = Math.max(...[...rows.keys()].map((name) => name.length));
    if (rows.size > 0) draw([...rows].flatMap((row) => toLines(row, width)).join('\n'));
  };
  const timer = setInterval(render, 100);
  let stopped = false;
  return {
    set(name, change) {
      const row = Object.assign(rowOf(name), change);
      row.endedAt = ENDED.includes(row.state) ? (row.endedAt ?? now()) : undefined;
    },
    line(name, text) {
      // A program's own colors and cursor movements would break the block.
      const plain = stripVTControlCharacters(text).trimEnd();
      if (plain !== '') rowOf(name).recent = [...rowOf(name).recent, plain].slice(-LOG_LINES);
    },
    stop() {
      if (stopped) return;
      stopped = true;
      clearInterval(timer);
      render();
      draw.done();
    },
  };
}
