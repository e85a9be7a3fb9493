import type { IncomingMessage } from 'node:http';
import { SlipwayError } from '../platform/kinds/errors.js';

/**
 * Memory for request bodies. A body is held whole (it may have to be sent to a second replica, and a slow client must
 * not hold a replica), so the sum over all requests is bounded: `totalBytes` is never passed, whatever comes in.
 */
export interface Bodies {
  /** @throws too_large; unavailable when the memory is taken; `ClientGone` */
  read(req: IncomingMessage): Promise<Body>;
}

export interface Body {
  bytes: Buffer;
  /** Gives its memory back. */
  release: () => void;
}

/** Reads the body of a request when it is asked for, once. */
export function keepBody(bodies: Bodies, req: IncomingMessage) {
  let body: Promise<Body> | undefined;
  let release = (): void => undefined;
  return {
    async read(): Promise<Buffer> {
      body ??= bodies.read(req);
      const { bytes, release: giveBack } = await body;
      release = giveBack;
      return bytes;
    },
    /** Gives the memory back, if any was taken. */
    release: (): void => release(),
  };
}

/** The client left: an answer has no reader. */
export class ClientGone extends Error {
  constructor() {
    super('the client closed its connection');
    this.name = 'ClientGone';
  }
}

const EMPTY = Buffer.alloc(0);

export function createBodies({ limitBytes, totalBytes }: { limitBytes: number; totalBytes: number }): Bodies {
  let held = 0;

  const tooLarge = (): SlipwayError => new SlipwayError('too_large', `the body is larger than ${limitBytes} bytes`);

  return {
    read(req) {
      const { 'content-length': declared, 'transfer-encoding': encoding } = req.headers;
      if (Number(declared ?? 0) > limitBytes) return Promise.reject(tooLarge());
      if (encoding === undefined && Number(declared ?? 0) === 0) {
        return Promise.resolve({ bytes: EMPTY, release: () => undefined });
      }
      return new Promise((resolve, reject) => {
        const chunks: Buffer[] = [];
        let size = 0;
        const release = (): void => {
          held -= size;
          size = 0;
        };
        const refuse = (err: Error): void => {
          release();
          // The rest of the body is read and discarded: a client that is writing would not see our answer otherwise.
          req.removeAllListeners('data').removeAllListeners('end').resume();
          reject(err);
        };
        req.on('data', (chunk: Buffer) => {
          size += chunk.length;
          held += chunk.length;
          if (size > limitBytes) refuse(tooLarge());
          else if (held > totalBytes) refuse(new SlipwayError('unavailable', 'too many large requests at once'));
          else chunks.push(chunk);
        });
        req.on('end', () => {
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
