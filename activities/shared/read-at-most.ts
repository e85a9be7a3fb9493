/**
 * Reads output of user code whole as text, and stops at a limit: it may be longer than the memory.
 * @returns `undefined` when there is more than `maxBytes`
 */
export async function readAtMost(
  stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop ends the stream.
  for await (const part of stream) {
    bytes += part.length;
    if (bytes > maxBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}
