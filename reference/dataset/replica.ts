import type { Change, RowState, LogEntry } from './change.js';
import { unreachable } from '../../platform/kinds/errors.js';
import { type Hold, pendingOf } from './hold.js';
import { isNewest, newestState, newestVersion } from '../rows/newest-rows.js';
import type { Blocked, Declaration, Pin, ReplicaHead, ReplicaOptions, RowWatcher } from './replica-state.js';
import { createRowEffects, type Effect } from './row-effects.js';
import { createRowStore } from '../rows/row-store.js';
import { updatedAtOf } from '../rows/row-text.js';
import { finish } from '../lookup/steps.js';
import { addCommitTime, dropCommitTimes, type CommitTime, positionAt } from './commit-times.js';
import { finishInTurns } from '../../platform/kinds/event-loop-turns.js';

export type { Blocked, Declaration, Pin, ReplicaHead, RowWatcher } from './replica-state.js';

/**
 * One dataset, folded from its log. Every reader that folds the same entries has the same state:
 * - a change counts where its entity version is one above the known one, and nowhere else, so a repeat does nothing;
 * - a change that the declaration in force does not take counts as a version without content of its own;
 * - between hold and release changes are kept back, and all take effect at the release, or none after a discard;
 * - a pin moves what readers see to an earlier position, and nothing else.
 */
export function createReplica({ accepts, rewrite }: ReplicaOptions) {
  let watcher: RowWatcher | undefined;
  const rows = createRowStore();
  let position = 0;
  let at = '';
  let token = '';
  /** Position of the newest entry that changed what readers see when nothing is pinned. */
  let newest = 0;
  let newestAt = '';
  let declaration: Declaration | undefined;
  let generation = 0;
  let hold: Hold | undefined;
  let pin: Pin | undefined;
  let blocked: Blocked | undefined;
  /** Position of an entry whose rows are in place, though it is not applied yet. */
  let preparedTo = 0;
  /** Earlier positions are not complete any more. */
  let keptFrom = 0;
  /** When the states at earlier positions were current: one mark per stretch of time. */
  let marks: CommitTime[] = [];

  const acceptsChange = ({ schema, body }: Pick<Change, 'schema' | 'body'>): boolean =>
    body === null ||
    (declaration !== undefined && (schema === declaration.generation || accepts(declaration.spec, body)));

  const { takeEffect, useUp, replaceRows } = createRowEffects({
    rows,
    accepts: acceptsChange,
    added: (row, body) => watcher?.added(row, body),
  });

  /** @returns whether readers see it at once */
  function take(change: Change): boolean {
    const known = hold?.pending.get(change.id)?.version ?? newestVersion(rows, change.id);
    if (change.version !== known + 1) return false;
    if (hold === undefined) takeEffect(change, position);
    else hold.pending.set(change.id, pendingOf(change));
    return hold === undefined;
  }

  /** A pending change is judged here, by the declaration in force at the release. */
  function* settlePending(take: Effect, from: number): Generator<void> {
    for (const change of hold?.pending.values() ?? []) {
      take(change, from);
      hold?.pending.delete(change.id);
      if (hold !== undefined) hold.prepared += 1;
      yield;
    }
  }

  /** What takes long of an entry, in steps. What is done of it is not done again. */
  function* rowsOf(entry: LogEntry): Generator<void> {
    const { kind, position: from } = entry;
    if (kind === 'release' && hold?.import === entry.import) yield* settlePending(takeEffect, from);
    if (kind === 'discard' && hold?.import === entry.import) yield* settlePending(useUp, from);
    if (kind === 'schema' && entry.rewrite) {
      const rewritten = (text: string) => {
        const body = rewrite(entry.spec, text);
        return { body, at: updatedAtOf(body) };
      };
      yield* replaceRows(rewritten, from);
    }
    if (kind === 'dropped') {
      yield* settlePending(takeEffect, from); // their versions are used up
      yield* replaceRows(() => ({ body: null, at: entry.at }), from);
    }
  }

  const declarationOf = (entry: LogEntry & { kind: 'schema' }): Declaration => ({ ...entry, generation: entry.schema });

  async function prepareRows(entry: LogEntry): Promise<void> {
    await finishInTurns(rowsOf(entry), SLICE);
    if (entry.kind === 'schema') await watcher?.prepare(declarationOf(entry));
    preparedTo = entry.position;
  }

  /** Ends the hold. @returns whether readers see another state */
  function release(): boolean {
    const { prepared } = hold ?? { prepared: 0 };
    hold = undefined;
    return prepared > 0;
  }

  /** @returns whether readers see another state than before */
  function fold(entry: LogEntry): boolean {
    switch (entry.kind) {
      case 'changes': {
        let seen = false;
        for (const change of entry.changes) seen = take(change) || seen;
        return seen;
      }
      case 'schema':
        generation = entry.schema;
        declaration = declarationOf(entry);
        blocked = undefined; // the next state is judged by other words
        watcher?.declared(declaration);
        return true;
      case 'dropped':
        release();
        pin = undefined;
        blocked = undefined;
        declaration = undefined;
        watcher?.declared(undefined);
        return true;
      case 'hold':
        hold ??= { import: entry.import, pending: new Map(), prepared: 0 };
        return false;
      case 'release':
        if (hold?.import !== entry.import) return false;
        blocked = undefined;
        return release();
      case 'discard': {
        if (hold?.import !== entry.import) return false;
        const { import: id, blocked: message, at: time } = entry;
        if (message !== undefined) blocked = { import: id, message, at: time };
        return release();
      }
      case 'pin': {
        const { version, asOf, reason, actor, at: time } = entry;
        pin = { version, asOf, reason, actor, at: time };
        return false;
      }
      case 'unpin':
        pin = undefined;
        return false;
      case 'heartbeat':
        return false;
      default:
        return unreachable(entry);
    }
  }

  return {
    rows,
    latest(id: string): RowState | undefined {
      const change = hold?.pending.get(id);
      return change ? { version: change.version, body: change.body, at: change.at } : newestState(rows, id);
    },
    /** Texts of the rows that there will be when the import that holds the dataset releases it. */
    *upcoming(): Generator<string> {
      for (let row = 0, end = rows.end(); row < end; row += 1) {
        if (isNewest(rows, row) && hold?.pending.has(String(rows.id(row))) !== true) yield rows.bytes(row).toString();
      }
      for (const { body } of hold?.pending.values() ?? []) if (body !== null) yield body;
    },
    acceptsChange,
    get position() {
      return position;
    },
    /** Time of the newest entry. */
    get at() {
      return at;
    },
    get declaration() {
      return declaration;
    },
    /** Generation of the last declaration, also of a dropped dataset. */
    get generation() {
      return generation;
    },
    /** Id of the import that keeps changes back. */
    get heldBy() {
      return hold?.import;
    },
    get pin() {
      return pin;
    },
    /** Why the newest state that an import was to bring is not served; until another one is. */
    get blocked() {
      return blocked;
    },
    get keptFrom() {
      return keptFrom;
    },
    /** Newest dataset version there is; what readers see unless it is pinned. */
    get newest() {
      return newest;
    },
    /** Dataset version that readers see. */
    get visible() {
      return pin?.version ?? newest;
    },
    /** Commit time of `newest`. */
    get newestAt() {
      return newestAt;
    },

    /** Undefined while an import holds the dataset: what it keeps back is in no row. */
    head(): ReplicaHead | undefined {
      if (hold !== undefined) return undefined;
      return {
        position,
        at,
        token,
        newest,
        newestAt,
        declaration,
        generation,
        pin,
        blocked,
        keptFrom,
        marks: [...marks],
      };
    },
    /** Continues from a snapshot, whose rows are in place. */
    restore(head: ReplicaHead): void {
      ({ position, at, token, newest, newestAt, declaration, generation, pin, blocked, keptFrom, marks } = head);
    },

    /** Who is told from now on. */
    watch(given: RowWatcher): void {
      watcher = given;
    },

    /**
     * What takes long of the next entry, some rows at a time. Readers see the state before it until it is applied, as
     * each row says from which position on it counts; undefined: there is nothing to do first.
     */
    prepare(entry: LogEntry): Promise<void> | undefined {
      return takesLong(entry) ? prepareRows(entry) : undefined;
    },

    /** Entries come in order, each once. */
    apply(entry: LogEntry): void {
      ({ position, at, token } = entry);
      if (preparedTo !== position) finish(rowsOf(entry));
      if (fold(entry)) {
        newest = position;
        newestAt = at;
      }
      addCommitTime(marks, { position, at });
    },

    /**
     * Forgets states that no reader may ask for: those replaced both before `time` and more than `versions` ago. What a
     * pin shows is kept.
     */
    forget({ time, versions }: { time: string; versions: number }): void {
      const timed = at <= time ? position : positionAt(marks, time);
      const limit = Math.min(timed, position - versions, pin?.version ?? Infinity);
      if (limit <= keptFrom) return;
      keptFrom = limit;
      dropCommitTimes(marks, limit);
      rows.forget(limit, (row) => watcher?.forgotten(row));
    },
  };
}
export type Replica = ReturnType<typeof createReplica>;

const takesLong = (entry: LogEntry): boolean =>
  ['release', 'discard', 'dropped'].includes(entry.kind) || (entry.kind === 'schema' && entry.rewrite === true);

/** Rows that are looked at before others get their turn: some milliseconds. */
const SLICE = 500;
