import { SlipwayError } from '../../platform/kinds/errors.js';

/** Counts the logs that each caller follows in this process: each one holds a connection and polls object storage. */
export interface FollowLimit {
  /** @returns ends the count of this one. @throws rate.exceeded */
  take(caller: string): () => void;
}

export function createFollowLimit(most: number): FollowLimit {
  const open = new Map<string, number>();
  return {
    take(caller) {
      const count = open.get(caller) ?? 0;
      if (count >= most) {
        throw new SlipwayError(
          'rate.exceeded',
          `you follow ${count} logs already, the limit is ${most}: end one of them`,
        );
      }
      open.set(caller, count + 1);
      return () => {
        const left = (open.get(caller) ?? 1) - 1;
        if (left === 0) open.delete(caller);
        else open.set(caller, left);
      };
    },
  };
}
