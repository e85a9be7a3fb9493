import type { LogLine, LogPosition } from '../../kinds/log.js';
import type { Frame } from './frames.js';

const NEWLINE = 0x0a;

/** Pieces of a line that has not ended; engines cut long lines at 8 or 16 KiB. */
type Pieces = { at: string; parts: Buffer[] };

/**
 * Joins frames (`<time stamp> <text>`, a line break only at the end of a line) to lines. A line bears the time of its
 * last piece, and no line an earlier time than the one before: only so `lines after a position` means the same lines
 * in every reading, wherever it begins.
 */
export async function* joinLines(
  frames: AsyncIterable<Frame>,
  { unfinished }: { unfinished: () => Promise<boolean> },
): AsyncGenerator<LogLine> {
  const open: Record<Frame['stream'], Pieces> = { stdout: { at: '', parts: [] }, stderr: { at: '', parts: [] } };
  let latest = '';

  function close(stream: Frame['stream']): LogLine {
    const { at, parts } = open[stream];
    open[stream] = { at: '', parts: [] };
    if (at > latest) latest = at;
    return { at: latest, stream, text: Buffer.concat(parts).toString() };
  }

  for await (const { stream, payload } of frames) {
    const space = payload.indexOf(' ');
    const ended = payload.at(-1) === NEWLINE;
    const pieces = open[stream];
    pieces.at = toStamp(payload.toString('latin1', 0, space));
    pieces.parts.push(payload.subarray(space + 1, ended ? -1 : undefined));
    if (ended) yield close(stream);
  }
  // The last line of a program may lack a line break; the last output of one that still runs may be incomplete.
  for (const stream of ['stdout', 'stderr'] as const) {
    if (open[stream].parts.length > 0 && !(await unfinished())) yield close(stream);
  }
}

/** Drops what a reader at `from` has. */
export async function* linesAfter(lines: AsyncIterable<LogLine>, from?: LogPosition): AsyncGenerator<LogLine> {
  let toSkip = from?.lines ?? 0;
  for await (const line of lines) {
    if (from && line.at < from.at) continue;
    if (line.at === from?.at && toSkip > 0) toSkip -= 1;
    else yield line;
  }
}

/** The position after one more line. */
export function positionAfter(line: LogLine, position?: LogPosition): LogPosition {
  return { at: line.at, lines: position?.at === line.at ? position.lines + 1 : 1 };
}

/** UTC with nine digits, so that text order is time order: engines give zones, and none to nine digits. */
function toStamp(text: string): string {
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? '';
  const seconds = new Date(text.replace(/\.\d+/, '')).toISOString().slice(0, 19);
  return `${seconds}.${fraction.padEnd(9, '0')}Z`;
}
