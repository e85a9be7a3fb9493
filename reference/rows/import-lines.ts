/** One line of an upload, without its end. */
export interface Line {
  /** From 1. */
  number: number;
  /** Byte offset after it, its line end included. */
  end: number;
  /** Undefined when it exceeds the limit. */
  bytes: Buffer | undefined;
}

const NEWLINE = 0x0a;

/** Splits a stream into lines, buffering no more of one than the limit. */
export async function* readLines(
  chunks: AsyncIterable<Buffer>,
  { offset, line, mostBytes }: { offset: number; line: number; mostBytes: number },
): AsyncGenerator<Line> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let number = line;
  let end = offset;

  const take = (part: Buffer): void => {
    heldBytes += part.length;
    if (heldBytes <= mostBytes) held.push(part);
    else held = [];
  };
  const finish = (): Line => {
    number += 1;
    const bytes = heldBytes > mostBytes ? undefined : Buffer.concat(held);
    held = [];
    heldBytes = 0;
    return { number, end, bytes };
  };

  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      take(chunk.subarray(from, at));
      end += at + 1 - from;
      yield finish();
      from = at + 1;
    }
    take(chunk.subarray(from));
    end += chunk.length - from;
  }
  if (heldBytes > 0) yield finish();
}
