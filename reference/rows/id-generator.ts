import { randomInt } from 'node:crypto';

/** Generated ids count milliseconds from here on; 41 bits last until 2089. */
const EPOCH_MS = Date.UTC(2020, 0, 1);
const RANDOM_BITS = 22;

/** Generates a time-ordered id. Two of the same millisecond collide once in four million: the losing write retries. */
export function newId(now: Date): bigint {
  const ms = BigInt(Math.max(0, now.getTime() - EPOCH_MS));
  return BigInt.asUintN(63, (ms << BigInt(RANDOM_BITS)) | BigInt(randomInt(1, 2 ** RANDOM_BITS)));
}
