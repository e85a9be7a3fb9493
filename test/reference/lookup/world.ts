import type { LookupSource } from '../../../reference/lookup/document.js';

/** A row of a small world: two names, two aliases. */
export interface WorldRow {
  id: bigint;
  name: string;
  other?: string;
  country?: string;
  code?: string | readonly string[];
  weight?: number;
}

export const WORLD_FIELDS = { names: ['name', 'other'], aliases: ['country', 'code'] };

/** Rows by number; a test may change them as long as it tells the index. */
export function worldSource(rows: Map<number, WorldRow>): LookupSource {
  return (row) => {
    const shown = rows.get(row);
    return {
      id: shown?.id ?? 0n,
      weight: shown?.weight,
      texts: (field) => [shown?.[field as 'name' | 'other' | 'country' | 'code'] ?? []].flat(),
    };
  };
}

export function worldOf(rows: readonly Omit<WorldRow, 'id'>[]): Map<number, WorldRow> {
  return new Map(rows.map((row, at) => [at, { id: BigInt(at + 1), ...row }]));
}
