import { Readable } from 'node:stream';
import { diskFull, isDiskFull } from '../kinds/disk-full.js';
import { SlipwayError, unavailable } from '../kinds/errors.js';

export const missingObject = (key: string, cause?: unknown): SlipwayError =>
  new SlipwayError('not_found', `object "${key}" is not found`, { cause });

export const missingBucket = (name: string, cause: unknown): SlipwayError =>
  new SlipwayError('not_found', `bucket "${name}" is not found`, { cause });

/** Refusals that time heals: too slow, too early, too often. */
const PASSING = [408, 425, 429];
/** They speak of who asks, so all objects meet them alike. */
const DENIED = [401, 403];

/** An error of a store's library in the terms of every store. @param status of the answer; undefined when there was none */
export function toObjectError(key: string, status: number | undefined, err: unknown): SlipwayError {
  if (err instanceof SlipwayError) return err;
  if (status === 404) return missingObject(key, err);
  if (isDiskFull(err)) return diskFull('object storage', err);
  if (status === undefined || PASSING.includes(status) || status >= 500)
    return unavailable('object storage does not answer', err);
  const code = DENIED.includes(status) ? 'storage_denied' : 'storage_refused';
  return new SlipwayError(code, `object storage refused "${key}" (status ${status})`, { cause: err });
}

/** Gives what a store's library throws the errors of this layer. */
export function failuresOf(toError: (key: string, err: unknown) => SlipwayError) {
  return {
    reach: async <T>(key: string, operation: () => Promise<T>): Promise<T> => {
      try {
        return await operation();
      } catch (err) {
        throw toError(key, err);
      }
    },
    /** The bytes of an object as they come. */
    readable: (key: string, open: () => AsyncIterable<Buffer>): Readable =>
      Readable.from(
        (async function* () {
          try {
            yield* open();
          } catch (err) {
            throw toError(key, err);
          }
        })(),
        { objectMode: false },
      ),
  };
}
