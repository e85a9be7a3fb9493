import type { IncomingMessage } from 'node:http';
import { SlipwayError } from '../platform/kinds/errors.js';

/**
 * Memory for request bodies. A body is held whole (it may have to be sent to a second replica, and a slow client must
 * not hold a replica), so the sum over all requests is bounded: `totalBytes` is never passed, whatever comes in.
 */
export interface Bodies {
  /**
   * @param caller whose share of the memory the body takes
   * @throws too_large; too_slow; unavailable when the memory, or the share, is taken; `ClientGone`
   */
  read(req: IncomingMessage, caller: string): Promise<Body>;
}

export interface Body {
  bytes: Buffer;
  /** Gives its memory back. */
  release: () => void;
}

/** The client left: an answer has no reader. */
export class ClientGone extends Error {
  constructor() {
    super('the client closed its connection');
    this.name = 'ClientGone';
  }
}

const EMPTY = Buffer.alloc(0);

export interface BodiesOptions {
  limitBytes: number;
  totalBytes: number;
  /** The most that one caller holds of the total: it leaves room for others. */
  callerBytes?: number;
  /** The time that a body may take to arrive: a slow one holds its memory all that time. */
  patienceMs?: number;
}

export function createBodies({
  limitBytes,
  totalBytes,
  callerBytes = Math.max(limitBytes, totalBytes / 2),
  patienceMs = 60_000,
}: BodiesOptions): Bodies {
  let held = 0;
  const heldBy = new Map<string, number>();

  function hold(caller: string, bytes: number): number {
    held += bytes;
    const share = (heldBy.get(caller) ?? 0) + bytes;
    if (share > 0) heldBy.set(caller, share);
    else heldBy.delete(caller);
    return share;
  }

  const tooLarge = (): SlipwayError => new SlipwayError('too_large', `the body is larger than ${limitBytes} bytes`);

  return {
    read(req, caller) {
      const { 'content-length': declared, 'transfer-encoding': encoding } = req.headers;
      if (Number(declared ?? 0) > limitBytes) return Promise.reject(tooLarge());
      if (encoding === undefined && Number(declared ?? 0) === 0) {
        return Promise.resolve({ bytes: EMPTY, release: () => undefined });
      }
      return new Promise((resolve, reject) => {
        const chunks: Buffer[] = [];
        let size = 0;
        const release = (): void => {
          hold(caller, -size);
          size = 0;
        };
        const refuse = (err: Error): void => {
          clearTimeout(timer);
          release();
          // The rest of the body is read and discarded: a client that is writing would not see our answer otherwise.
          req.removeAllListeners('data').removeAllListeners('end').resume();
          reject(err);
        };
        const timer = setTimeout(() => {
          const message = `the body did not arrive within ${patienceMs / 1_000} s: send it faster, or in smaller parts`;
          refuse(new SlipwayError('too_slow', message));
        }, patienceMs);
        req.on('data', (chunk: Buffer) => {
          size += chunk.length;
          const share = hold(caller, chunk.length);
          if (size > limitBytes) refuse(tooLarge());
          else if (held > totalBytes || share > callerBytes)
            refuse(new SlipwayError('unavailable', 'too many large requests at once'));
          else chunks.push(chunk);
        });
        req.on('end', () => {
          clearTimeout(timer);
          const [only] = chunks;
          resolve({ bytes: chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks), release });
        });
        req.on('error', () => refuse(new ClientGone()));
        req.on('close', () => {
          if (!req.complete) refuse(new ClientGone());
        });
      });
    },
  };
}
