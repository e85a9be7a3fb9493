import type { RowState } from './change.js';
import type { Pending } from './hold.js';
import { isNewest, newestState } from '../rows/newest-rows.js';
import type { RowStore } from '../rows/row-store.js';
import { withVersion } from '../rows/row-text.js';

export interface RowEffectsOptions {
  rows: RowStore;
  /** Whether the declaration in force takes a change. */
  accepts: (change: Pending) => boolean;
  /** Called for each row that a change adds. */
  added: (row: number, body: string | null) => void;
}

/** The effect of a change on a row, from a position of the log on. */
export type Effect = (change: Pending, from: number) => void;

/** Applies the entries of a log to the rows of a dataset. */
export function createRowEffects({ rows, accepts, added }: RowEffectsOptions) {
  const add = (id: bigint, { version, body, at }: RowState, from: number): number =>
    rows.add({ id, version, from, bytes: Buffer.from(body ?? at), deleted: body === null });

  function put(id: string, state: RowState, from: number): void {
    added(add(BigInt(id), state, from), state.body);
  }

  /** Counts the version and keeps the content. */
  const useUp: Effect = ({ id, version, at }, from) => {
    const known = newestState(rows, id);
    const text = known?.body ?? null;
    put(id, { version, body: text && withVersion(text, known?.version ?? 0, version), at: known?.at ?? at }, from);
  };

  const takeEffect: Effect = (change, from) => {
    const { id, version, body, at } = change;
    if (accepts(change)) put(id, { version, body, at }, from);
    else useUp(change, from);
  };

  /** Rewrites rows for another declaration, or for none. No observer is called: the current index never shows them. */
  function* replaceRows(next: (text: string) => Pick<RowState, 'body' | 'at'>, from: number): Generator<void> {
    for (let row = 0, end = rows.end(); row < end; row += 1) {
      if (isNewest(rows, row)) {
        const before = rows.bytes(row).toString();
        const state = next(before);
        if (state.body !== before) add(rows.id(row), { ...state, version: rows.version(row) }, from);
      }
      yield;
    }
  }

  return { takeEffect, useUp, replaceRows };
}
export type RowEffects = ReturnType<typeof createRowEffects>;
