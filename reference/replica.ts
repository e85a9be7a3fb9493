import { setImmediate as turn } from 'node:timers/promises';
import type { Change, EntityState, LogEntry } from '../resources/change.js';
import type { DatasetSpec } from '../resources/dataset.js';
import { unreachable } from '../resources/errors.js';
import type { Blocked, Declaration, Pin, ReplicaHead, ReplicaOptions, RowWatcher } from './replica-state.js';
import { createRowStore } from './row-store.js';
import { updatedAtOf, withVersion } from './row-text.js';

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
  /** Earlier positions are not complete any more. */
  let keptFrom = 0;
  /** When the states at earlier positions were current: one mark per stretch of time. */
  let marks: { position: number; at: string }[] = [];

  const storedVersion = (id: string): number => {
    const row = rows.find(BigInt(id));
    return row < 0 ? 0 : rows.version(row);
  };

  function stored(id: string): EntityState | undefined {
    const row = rows.find(BigInt(id));
    if (row < 0) return undefined;
    const text = rows.bytes(row).toString();
    const version = rows.version(row);
    return rows.isDeleted(row) ? { version, body: null, at: text } : { version, body: text, at: updatedAtOf(text) };
  }

  const acceptsChange = ({ schema, body }: Pick<Change, 'schema' | 'body'>): boolean =>
    body === null ||
    (declaration !== undefined && (schema === declaration.generation || accepts(declaration.spec, body)));

  function put(id: string, { version, body, at: time }: EntityState, from = position): void {
    const bytes = Buffer.from(body ?? time);
    const row = rows.add({ id: BigInt(id), version, from, bytes, deleted: body === null });
    watcher?.added(row, body);
  }

  function effect(change: Pending, from = position): void {
    const { id, version, body, at: time } = change;
    if (acceptsChange(change)) put(id, { version, body, at: time }, from);
    else useUp(change, from);
  }

  /** The version counts, and the content stays what it was. */
  function useUp({ id, version, at: time }: Pending, from = position): void {
    const known = stored(id);
    const text = known?.body ?? null;
    put(id, { version, body: text && withVersion(text, known?.version ?? 0, version), at: known?.at ?? time }, from);
  }

  /** @returns whether readers see it at once */
  function take(change: Change): boolean {
    const known = hold?.pending.get(change.id)?.version ?? storedVersion(change.id);
    if (change.version !== known + 1) return false;
    if (hold === undefined) effect(change);
    else hold.pending.set(change.id, pendingOf(change));
    return hold === undefined;
  }

  /** A pending change is judged here, by the declaration in force at the release. */
  function release(take = effect): boolean {
    const { pending, prepared } = hold ?? { pending: new Map<string, Pending>(), prepared: 0 };
    hold = undefined;
    for (const change of pending.values()) take(change);
    return prepared + pending.size > 0;
  }

  async function prepareRelease(held: Hold, take: typeof effect, from: number): Promise<void> {
    for (const change of held.pending.values()) {
      take(change, from);
      held.pending.delete(change.id);
      held.prepared += 1;
      if (held.prepared % SLICE === 0) await turn();
    }
  }

  function* newestRows(): Generator<{ id: string; row: number }> {
    for (let row = 0, end = rows.end(); row < end; row += 1) {
      if (!rows.isDeleted(row) && rows.find(rows.id(row)) === row) yield { id: String(rows.id(row)), row };
    }
  }

  function rewriteRows(spec: DatasetSpec): void {
    for (const { id, row } of newestRows()) {
      const before = rows.bytes(row).toString();
      const body = rewrite(spec, before);
      if (body !== before) put(id, { version: rows.version(row), body, at: updatedAtOf(body) });
    }
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
        declaration = { ...entry, generation };
        blocked = undefined; // the next state is judged by other words
        if (entry.rewrite) rewriteRows(entry.spec);
        watcher?.declared(declaration);
        return true;
      case 'dropped':
        release(); // their versions are used up
        pin = undefined;
        blocked = undefined;
        declaration = undefined;
        for (const { id, row } of newestRows()) put(id, { version: rows.version(row), body: null, at: entry.at });
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
        return release(useUp);
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
    latest(id: string): EntityState | undefined {
      const change = hold?.pending.get(id);
      return change ? { version: change.version, body: change.body, at: change.at } : stored(id);
    },
    /** Texts of the rows that there will be when the import that holds the dataset releases it. */
    *upcoming(): Generator<string> {
      for (const { id, row } of newestRows()) if (hold?.pending.has(id) !== true) yield rows.bytes(row).toString();
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
      if ((entry.kind !== 'release' && entry.kind !== 'discard') || hold?.import !== entry.import) return undefined;
      return prepareRelease(hold, entry.kind === 'release' ? effect : useUp, entry.position);
    },

    /** Entries come in order, each once. */
    apply(entry: LogEntry): void {
      ({ position, at, token } = entry);
      if (fold(entry)) {
        newest = position;
        newestAt = at;
      }
      const last = marks.at(-1);
      if (last === undefined || Date.parse(at) - Date.parse(last.at) >= MARK_MS) marks.push({ position, at });
    },

    /**
     * Forgets states that no reader may ask for: those replaced both before `time` and more than `versions` ago. What a
     * pin shows is kept.
     */
    forget({ time, versions }: { time: string; versions: number }): void {
      const timed = at <= time ? position : (marks.findLast((mark) => mark.at <= time)?.position ?? 0);
      const limit = Math.min(timed, position - versions, pin?.version ?? Infinity);
      if (limit <= keptFrom) return;
      keptFrom = limit;
      while ((marks[1]?.position ?? Infinity) <= limit) marks.shift();
      rows.forget(limit, (row) => watcher?.forgotten(row));
    },
  };
}
export type Replica = ReturnType<typeof createReplica>;

interface Hold {
  import: string;
  pending: Map<string, Pending>;
  /** How many of them have their rows already. */
  prepared: number;
}

/** What a hold keeps of a change: there may be millions of them. */
type Pending = Pick<Change, 'id' | 'version' | 'at' | 'body' | 'schema'>;
const pendingOf = ({ id, version, at, body, schema }: Change): Pending => ({ id, version, at, body, schema });

const MARK_MS = 10_000;
/** Rows that are released before others get their turn: some milliseconds. */
const SLICE = 500;
