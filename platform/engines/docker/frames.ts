/** One frame of the engine's stream of a container without terminal: 8 bytes of header, then the payload. */
export interface Frame {
  stream: 'stdout' | 'stderr';
  payload: Buffer;
}

const HEADER = 8;
const STDERR = 2;

/** Takes the two streams apart, however the chunks were cut. A frame that the connection cut off is dropped. */
export async function* readFrames(chunks: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  let pending: Buffer[] = [];
  let size = 0;
  let needed = HEADER;
  for await (const chunk of chunks) {
    pending.push(chunk);
    size += chunk.length;
    // Joined only when a frame is complete: a frame in many small chunks would be copied again and again.
    if (size < needed) continue;
    let buffer = Buffer.concat(pending);
    while (buffer.length >= (needed = frameLength(buffer))) {
      yield { stream: buffer[0] === STDERR ? 'stderr' : 'stdout', payload: buffer.subarray(HEADER, needed) };
      buffer = buffer.subarray(needed);
    }
    pending = [buffer];
    size = buffer.length;
  }
}

function frameLength(buffer: Buffer): number {
  return buffer.length < HEADER ? HEADER : HEADER + buffer.readUInt32BE(4);
}
