import type { Readable } from 'node:stream';
import type { ObjectStore } from '../../platform/stores/objects.js';

/** Longer lines are not read: a body is recorded up to 1 MiB, and feedback of that size is no label. */
const LONGEST_LINE = 16 * 2 ** 20;
const NEWLINE = 0x0a;

/** One line of a record file as it was parsed; `undefined` when it is no JSON object, or too long. */
export interface RecordLine {
  text: string;
  fields: Record<string, unknown>;
}

/** Every line of a record file in bounded memory. */
export async function* readRecords(
  objects: Pick<ObjectStore, 'open'>,
  key: string,
): AsyncGenerator<RecordLine | undefined> {
  for await (const line of splitLines(await objects.open(key))) yield line === undefined ? undefined : parse(line);
}

/** Lines end with a line feed and nothing else: Unicode has more line ends, and they are allowed inside JSON text. */
export async function* splitLines(body: Readable, longest = LONGEST_LINE): AsyncGenerator<Buffer | undefined> {
  let parts: Buffer[] = [];
  let length = 0;
  const add = (part: Buffer): void => {
    length += part.length;
    if (length <= longest) parts.push(part);
    else parts = [];
  };
  const end = (): Buffer | undefined => {
    const line = length > longest ? undefined : Buffer.concat(parts);
    parts = [];
    length = 0;
    return line;
  };
  for await (const chunk of body as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      add(chunk.subarray(from, at));
      yield end();
      from = at + 1;
    }
    add(chunk.subarray(from));
  }
  if (length > 0) yield end();
}

function parse(line: Buffer): RecordLine | undefined {
  const text = line.toString();
  try {
    const fields: unknown = JSON.parse(text);
    const isObject = typeof fields === 'object' && fields !== null && !Array.isArray(fields);
    return isObject ? { text, fields: fields as Record<string, unknown> } : undefined;
  } catch {
    return undefined;
  }
}
