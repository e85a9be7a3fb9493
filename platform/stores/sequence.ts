import { randomUUID } from 'node:crypto';
import type { Row, Table } from './database.js';

/** `owner` is drawn for each append: it tells a writer whose acknowledgement was lost that the row is its own. */
export interface Place<T> extends Row {
  owner: string;
  value: T;
}

/** Values at positions 1, 2, 3 ... without a hole, never changed and never removed. */
export interface Sequence<T> {
  /** @param make the value, from its position and the value before it; asked again after a lost race */
  append(make: (position: number, before: T | undefined) => T): Promise<T>;
  /** `undefined` where there is none. */
  get(position: number): Promise<T | undefined>;
  /** The newest position; 0 when there is none. */
  end(): Promise<number>;
  /** The newest position at which `holds` is true, which it must be up to some position and never behind it; 0 for none. */
  last(holds: (value: T) => boolean): Promise<number>;
}

/**
 * A sequence by point reads alone, a few whatever its length: as there are no holes, the end is found by growing steps
 * from the newest position known, then by halving. Inserting decides who gets a position.
 */
export function createSequence<T>(table: Table<Place<T>>): Sequence<T> {
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
    await halve(low, low + step, isThere);
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
      const behind = (await findEnd()).position + 1;
      return halve(0, behind, async (position) => {
        const value = await get(position);
        return value !== undefined && holds(value);
      });
    },
  };
}

/** The last position where `holds` is true: it is at `low`, and not at `high`. */
async function halve(low: number, high: number, holds: (position: number) => Promise<boolean>): Promise<number> {
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}

const rowId = (position: number): string => String(position).padStart(12, '0');
