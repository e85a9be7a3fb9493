import { randomInt } from 'node:crypto';

/** Ids of ours count milliseconds from here on; 41 bits last until 2089. */
const EPOCH_MS = Date.UTC(2020, 0, 1);
const RANDOM_BITS = 22;

/** An id in the order of time. Two at the same moment may be equal, once in four million: the write that loses takes another. */
export function newId(now: Date): bigint {
  const ms = BigInt(Math.max(0, now.getTime() - EPOCH_MS));
  return BigInt.asUintN(63, (ms << BigInt(RANDOM_BITS)) | BigInt(randomInt(1, 2 ** RANDOM_BITS)));
}
