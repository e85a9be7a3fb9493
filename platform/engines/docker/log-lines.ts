import type { LogLine, LogPosition } from '../../kinds/log.js';
import type { Frame } from './frames.js';

const NEWLINE = 0x0a;

/** A longer line is cut: every byte of it would be in the memory of a worker that all runs share. */
const MAX_LINE_BYTES = 64 * 1_024;

/** Pieces of a line that has not ended; engines cut long lines at 8 or 16 KiB. `bytes` counts what is cut off too. */
type Pieces = { at: string; parts: Buffer[]; bytes: number };
const noPieces = (): Pieces => ({ at: '', parts: [], bytes: 0 });

/**
 * Joins frames (`<time stamp> <text>`, a line break only at the end of a line) to lines. A line bears the time of its
 * last piece, and no line an earlier time than the one before: only so `lines after a position` means the same lines
 * in every reading, wherever it begins. A line longer than `MAX_LINE_BYTES` is cut there, with a mark that names its size.
 */
export async function* joinLines(
  frames: AsyncIterable<Frame>,
  { unfinished }: { unfinished: () => Promise<boolean> },
): AsyncGenerator<LogLine> {
  const open: Record<Frame['stream'], Pieces> = { stdout: noPieces(), stderr: noPieces() };
  let latest = '';

  function close(stream: Frame['stream']): LogLine {
    const { at, parts, bytes } = open[stream];
    open[stream] = noPieces();
    if (at > latest) latest = at;
    const text = Buffer.concat(parts).toString();
    return { at: latest, stream, text: bytes > MAX_LINE_BYTES ? withCutMark(text, bytes) : text };
  }

  for await (const { stream, payload } of frames) {
    const space = payload.indexOf(' ');
    const ended = payload.at(-1) === NEWLINE;
    const pieces = open[stream];
    pieces.at = toStamp(payload.toString('latin1', 0, space));
    add(pieces, payload.subarray(space + 1, ended ? -1 : undefined));
    if (ended) yield close(stream);
  }
  // The last line of a program may lack a line break; the last output of one that still runs may be incomplete.
  for (const stream of ['stdout', 'stderr'] as const) {
    if (open[stream].at !== '' && !(await unfinished())) yield close(stream);
  }
}

function add(pieces: Pieces, piece: Buffer): void {
  const room = Math.max(0, MAX_LINE_BYTES - pieces.bytes);
  if (room > 0) pieces.parts.push(piece.subarray(0, room));
  pieces.bytes += piece.length;
}

/** The cut may be within a character, which then decodes to the replacement character. */
const withCutMark = (text: string, bytes: number): string =>
  `${text.replace(/\uFFFD$/, '')} [cut: the line has ${bytes} bytes]`;

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
