import { randomUUID } from 'node:crypto';
import type { Row, Table } from './database.js';

/**
 * A stored value. `owner` is drawn for each append: a writer whose acknowledgement was lost recognizes its row by it.
 */
export interface SequenceRow<T> extends Row {
  owner: string;
  value: T;
}

/** Values at positions 1, 2, 3 ... without gaps, never changed and never removed. */
export interface Sequence<T> {
  /** @param make returns the value, from its position and the value before it; repeated after a lost race */
  append(make: (position: number, before: T | undefined) => T): Promise<T>;
  /** `undefined` where there is none. */
  get(position: number): Promise<T | undefined>;
  /** The newest position; 0 when there is none. */
  end(): Promise<number>;
  /** Returns the newest position at which `holds` is true; it must be monotonic (true, then false). 0 for none. */
  last(holds: (value: T) => boolean): Promise<number>;
}

/**
 * A sequence with point reads only, few at any length: positions have no gaps, so the end is found by exponential
 * search from the newest known position and then by bisection. Inserting decides which writer gets a position.
 */
export function createSequence<T>(table: Table<SequenceRow<T>>): Sequence<T> {
  let newest: { position: number; value?: T } = { position: 0 };
  const note = (position: number, value: T): void => {
    if (position > newest.position) newest = { position, value };
  };
  const get = async (position: number): Promise<T | undefined> => (await table.get(rowId(position)))?.value;

  async function findEnd(): Promise<typeof newest> {
    const isThere = async (position: number): Promise<boolean> => {
      const value = await get(position);
      if (value !== undefined) note(position, value);
      return value !== undefined;
    };
    let low = newest.position;
    let step = 1;
    for (; await isThere(low + step); step *= 2) low += step;
    await bisect(low, low + step, isThere);
    return newest;
  }

  return {
    get,
    end: async () => (await findEnd()).position,
    async append(make) {
      const owner = randomUUID();
      for (;;) {
        const { position, value: before } = await findEnd();
        const value = make(position + 1, before);
        const added = await table.insert({ _id: rowId(position + 1), owner, value });
        if (!added && (await table.get(rowId(position + 1)))?.owner !== owner) continue;
        note(position + 1, value);
        return value;
      }
    },
    async last(holds) {
      const end = (await findEnd()).position + 1;
      return bisect(0, end, async (position) => {
        const value = await get(position);
        return value !== undefined && holds(value);
      });
    },
  };
}

/** Returns the last position where `holds` is true: it is true at `low`, and false at `high`. */
async function bisect(low: number, high: number, holds: (position: number) => Promise<boolean>): Promise<number> {
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}

const rowId = (position: number): string => String(position).padStart(12, '0');
