/** A list of ids, eight bytes each, that is searched once it is complete. */
export interface IdList {
  add(id: bigint): void;
  sorted(): { has(id: bigint): boolean };
}

export function createIdList(): IdList {
  let ids = new BigInt64Array(1_024);
  let count = 0;
  return {
    add(id) {
      if (count === ids.length) {
        const grown = new BigInt64Array(2 * count);
        grown.set(ids);
        ids = grown;
      }
      ids[count] = id;
      count += 1;
    },
    sorted() {
      const all = ids.subarray(0, count).sort();
      return {
        has(id) {
          let low = 0;
          for (let high = all.length; low < high;) {
            const middle = (low + high) >> 1;
            if ((all[middle] ?? 0n) < id) low = middle + 1;
            else high = middle;
          }
          return all[low] === id;
        },
      };
    },
  };
}
