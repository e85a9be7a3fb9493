import { SlipwayApiError } from './errors.js';
import { createLogPosition } from './log-position.js';
import type { LogPosition } from './log-position.js';
import { createPatience } from './patience.js';
import type { PatienceOptions } from './patience.js';

export interface LogOptions extends PatienceOptions {
  /** Stay until the log ends. */
  follow?: boolean;
  /** Only so many of the lines that exist already (of each replica). */
  tail?: number | undefined;
}

export interface LogSource {
  /** The text of a generation, from its first line. */
  open(options: { generation: number; follow: boolean }): Promise<ReadableStream<Uint8Array>>;
  /** Reads the present resource and whether its log is complete; undefined when the resource was removed. */
  look(): Promise<{ generation: number; isOver: boolean } | undefined>;
  /** Whether the log of every generation can be had, and a follower goes on with the next one. */
  keepsGenerations: boolean;
}

/**
 * The lines of a log as they come. A connection that breaks is made again: the log is sent from its beginning then, and
 * what was given before is left out by counting, so no line comes twice and none is missed.
 */
export async function* readLog(source: LogSource, options: LogOptions = {}): AsyncGenerator<string> {
  const { follow = false, tail } = options;
  const patience = createPatience(options);
  const position = createLogPosition();
  const first = await source.look();
  if (first === undefined) return;
  let { generation } = first;
  if (tail !== undefined) position.skipAllBut(tail, await existing(source, generation));

  for (;;) {
    const end = yield* readToEnd(source, { generation, follow }, position);
    if ('error' in end) {
      if (!follow) throw end.error;
      await patience.endure(end.error);
      // With a patience of its own: that the entity can be read does not mean that its log can.
      const now = await createPatience(options).call(() => source.look());
      if (now?.generation !== generation && !source.keepsGenerations) return;
      continue;
    }
    patience.reset();
    const now = follow ? await patience.call(() => source.look()) : undefined;
    // The server ends every follow after an hour: that is not the end of the log.
    if (now?.generation === generation && !now.isOver) continue;
    if (end.unfinished !== '' && position.isNew(end.unfinished)) yield end.unfinished;
    if (now === undefined || now.generation === generation || !source.keepsGenerations) return;
    generation = now.generation;
    position.restart();
  }
}

type End = { error: unknown } | { unfinished: string };

/** The new lines of one reading. @returns why it broke, or the last line when that had no line break (yet) */
async function* readToEnd(
  source: LogSource,
  what: { generation: number; follow: boolean },
  position: LogPosition,
): AsyncGenerator<string, End> {
  let unfinished = '';
  position.rewind();
  try {
    for await (const text of toText(await source.open(what))) {
      const lines = (unfinished + text).split('\n');
      unfinished = lines.pop() ?? '';
      for (const line of lines) if (position.isNew(line)) yield line;
    }
  } catch (error) {
    return { error };
  }
  return { unfinished };
}

/** @throws unreachable when the connection breaks, which `fetch` says in several ways */
async function* toText(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  try {
    for await (const bytes of stream) yield decoder.decode(bytes, { stream: true });
  } catch (cause) {
    throw new SlipwayApiError('unreachable', 'the connection to the log was cut', { cause });
  }
}

/** The lines that exist; none when the log has not begun. */
async function existing(source: LogSource, generation: number): Promise<string[]> {
  try {
    let text = '';
    for await (const part of toText(await source.open({ generation, follow: false }))) text += part;
    return text.split('\n').slice(0, -1);
  } catch (error) {
    if (error instanceof SlipwayApiError && error.code === 'not_started') return [];
    throw error;
  }
}
