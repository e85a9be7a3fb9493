import { z } from 'zod';
import type { LogPosition } from '../kinds/log.js';

/**
 * The offset in a log: the steps begun, and the engine's position within the last of them. Every writer of one log
 * counts the same way, so offsets of different writers can be compared.
 */
export interface LogOffset {
  steps: readonly string[];
  position?: LogPosition;
}

const Steps = z.array(z.string());
const Stored = z.object({ steps: z.string(), at: z.string().optional(), lines: z.coerce.number().optional() });

export function toMetadata({ steps, position }: LogOffset): Record<string, string> {
  return { steps: JSON.stringify(steps), ...(position && { at: position.at, lines: String(position.lines) }) };
}

export function fromMetadata(metadata: unknown): LogOffset {
  const { steps, at, lines } = Stored.parse(metadata);
  return {
    steps: Steps.parse(JSON.parse(steps)),
    ...(at !== undefined && lines !== undefined && { position: { at, lines } }),
  };
}

/** Compares two offsets: negative, zero or positive. */
export function compareOffsets(a: LogOffset, b: LogOffset): number {
  if (a.steps.length !== b.steps.length) return a.steps.length - b.steps.length;
  if (!a.position || !b.position) return Number(a.position !== undefined) - Number(b.position !== undefined);
  return compareTimes(a.position.at, b.position.at) || a.position.lines - b.position.lines;
}

/** Returns the position after one more line: many lines can have one time stamp. */
export function advance(position: LogPosition | undefined, at: string): LogPosition {
  return { at, lines: position?.at === at ? position.lines + 1 : 1 };
}

/** Compares RFC 3339 times with up to nine fraction digits; engines omit trailing zeros, and `Date` keeps three. */
function compareTimes(a: string, b: string): number {
  const [secondsA, fractionA] = splitTime(a);
  const [secondsB, fractionB] = splitTime(b);
  if (secondsA !== secondsB) return secondsA - secondsB;
  return fractionA < fractionB ? -1 : Number(fractionA > fractionB);
}

function splitTime(at: string): [number, string] {
  const fraction = /\.(\d+)/.exec(at)?.[1] ?? '';
  return [Date.parse(at.replace(/\.\d+/, '')), fraction.padEnd(9, '0')];
}
