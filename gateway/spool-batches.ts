/** A frame that waits for its write. */
interface WaitingFrame {
  bytes: Buffer;
  resolve: (written: boolean) => void;
}

/**
 * Gathers frames into batches: one write for all that a turn of the event loop brought; frames that come meanwhile go
 * into the next.
 * @param write tells whether the batch was written; never throws
 */
export function createSpoolBatches(write: (batch: Buffer) => Promise<boolean>) {
  let waiting: WaitingFrame[] = [];
  let pendingBytes = 0;
  let dropped = 0;
  let draining: Promise<void> | undefined;

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      pendingBytes = 0;
      const written = await write(Buffer.concat(batch.map(({ bytes }) => bytes)));
      if (!written) dropped += batch.length;
      for (const { resolve } of batch) resolve(written);
    }
    draining = undefined;
  }

  return {
    /** @returns whether the batch of the frame was written */
    add(bytes: Buffer): Promise<boolean> {
      pendingBytes += bytes.length;
      return new Promise((resolve) => {
        waiting.push({ bytes, resolve });
        draining ??= new Promise<void>((done) => setImmediate(done)).then(drain);
      });
    },
    /** Bytes that are in no batch yet. */
    pendingBytes: () => pendingBytes,
    isDraining: () => draining !== undefined,
    drained: async (): Promise<void> => draining,
    /** Frames of batches that were not written. */
    dropped: () => dropped,
  };
}
