import { createHash } from 'node:crypto';
import { collections } from '../../platform/stores/collections.js';
import type { Database, Row } from '../../platform/stores/database.js';

/** The inputs of a step by name, such as `commit` or `hyperParameters.alpha`; long values as their digests. */
export type Inputs = Readonly<Record<string, string>>;

/** The result of a step and its inputs. */
export interface Reusable<Result> {
  inputs: Inputs;
  /** Absent until a step has succeeded with these inputs. */
  result?: Result;
}

/** Results by what they were made of. The newest result of equal inputs counts. */
export interface ReuseStore<Result> {
  get(key: string): Promise<Reusable<Result> | undefined>;
  /** Notes inputs, so that a later miss can be explained. @returns their key */
  note(inputs: Inputs): Promise<string>;
  keep(key: string, result: Result): Promise<void>;
}

export function createReuse<Result>(database: Database, kind: 'training' | 'packaging'): ReuseStore<Result> {
  const table = database.table<Row & Reusable<Result>>(collections.reuse);
  const get = async (key: string): Promise<Reusable<Result> | undefined> => table.get(key);
  return {
    get,
    async note(inputs) {
      const key = `${kind}/${digestOf(inputs)}`;
      await table.insert({ _id: key, inputs });
      return key;
    },
    async keep(key, result) {
      const known = await get(key);
      if (known) await table.put({ _id: key, inputs: known.inputs, result });
    },
  };
}

/** SHA-256 of JSON with its keys in order. */
export function digestOf(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(ordered(value)))
    .digest('hex');
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, entry]) => [key, ordered(entry)]));
}
