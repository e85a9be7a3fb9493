import type { Change, RowState, LogEntry } from './change.js';
import { Hold } from './hold.js';
import { isNewest, newestState, newestVersion } from '../rows/newest-rows.js';
import { declarationOf, foldControl, INITIAL_CONTROL, type ReplicaControl } from './replica-control.js';
import type { Blocked, Declaration, Pin, ReplicaHead, ReplicaOptions, RowWatcher } from './replica-state.js';
import { createRowEffects, type Effect, type RowEffects } from './row-effects.js';
import { createRowStore, type RowStore } from '../rows/row-store.js';
import { updatedAtOf } from '../rows/row-text.js';
import { finish } from '../lookup/steps.js';
import { addCommitTime, dropCommitTimes, type CommitTime, positionAt } from './commit-times.js';
import { finishInTurns } from '../../platform/kinds/event-loop-turns.js';

export type { Declaration, ReplicaHead, RowWatcher } from './replica-state.js';

/**
 * One dataset, folded from its log. Every process that folds the same entries has the same state:
 * - a change takes effect when its entity version is the next one, so a repeated change has no effect;
 * - a change that the declaration in force rejects becomes a version without content of its own;
 * - between hold and release changes are kept back; all take effect at the release, or none after a discard;
 * - a pin moves the version that readers see to an earlier position, and nothing else.
 */
export class Replica {
  readonly rows: RowStore = createRowStore();
  private readonly options: ReplicaOptions;
  private readonly effects: RowEffects;
  private watcher: RowWatcher | undefined;
  private control: ReplicaControl = INITIAL_CONTROL;
  private hold: Hold | undefined;
  private token = '';
  /** Position of an entry whose rows are in place, though it is not applied yet. */
  private preparedTo = 0;
  /** Commit times of earlier positions, at most one per interval. */
  private marks: CommitTime[] = [];
  private positionApplied = 0;
  private appliedAt = '';
  private newestVersionAt = '';
  private newestPosition = 0;
  private retainedFrom = 0;

  constructor(options: ReplicaOptions) {
    this.options = options;
    this.effects = createRowEffects({
      rows: this.rows,
      accepts: (change) => this.acceptsChange(change),
      added: (row, body) => this.watcher?.added(row, body),
    });
  }

  /** Position of the newest entry. */
  get position(): number {
    return this.positionApplied;
  }
  /** Time of the newest entry. */
  get at(): string {
    return this.appliedAt;
  }
  get declaration(): Declaration | undefined {
    return this.control.declaration;
  }
  /** Generation of the last declaration, also of a dropped dataset. */
  get generation(): number {
    return this.control.generation;
  }
  /** Id of the import that keeps changes back. */
  get heldBy(): string | undefined {
    return this.hold?.import;
  }
  get pin(): Pin | undefined {
    return this.control.pin;
  }
  /** Why the state of the last import is not served; until another state is. */
  get blocked(): Blocked | undefined {
    return this.control.blocked;
  }
  /** Earlier positions are incomplete. */
  get keptFrom(): number {
    return this.retainedFrom;
  }
  /** Newest dataset version: position of the newest entry that changed the unpinned state. */
  get newest(): number {
    return this.newestPosition;
  }
  /** Dataset version that readers see. */
  get visible(): number {
    return this.control.pin?.version ?? this.newestPosition;
  }
  /** Commit time of `newest`. */
  get newestAt(): string {
    return this.newestVersionAt;
  }

  acceptsChange({ schema, body }: Pick<Change, 'schema' | 'body'>): boolean {
    if (body === null) return true;
    const { declaration } = this.control;
    if (declaration === undefined) return false;
    return schema === declaration.generation || this.options.accepts(declaration.spec, body);
  }

  latest(id: string): RowState | undefined {
    const change = this.hold?.get(id);
    return change ? { version: change.version, body: change.body, at: change.at } : newestState(this.rows, id);
  }

  /** Texts of the rows of the state that a release would bring. */
  *upcoming(): Generator<string> {
    const { rows, hold } = this;
    for (let row = 0, end = rows.end(); row < end; row += 1) {
      if (isNewest(rows, row) && hold?.get(String(rows.id(row))) === undefined) yield rows.bytes(row).toString();
    }
    for (const { body } of hold?.changes() ?? []) if (body !== null) yield body;
  }

  /** Returns everything but the rows; undefined during a hold, whose changes are in no row. */
  head(): ReplicaHead | undefined {
    if (this.hold !== undefined) return undefined;
    const { position, at, token, newest, newestAt, declaration, generation, pin, blocked, keptFrom } = this;
    const marks = [...this.marks];
    return { position, at, token, newest, newestAt, declaration, generation, pin, blocked, keptFrom, marks };
  }

  /** Continues from a snapshot, whose rows are in place. */
  restore({ position, at, token, newest, newestAt, keptFrom, marks, ...control }: ReplicaHead): void {
    const { declaration, generation, pin, blocked } = control;
    this.control = { declaration, generation, pin, blocked };
    this.positionApplied = position;
    this.appliedAt = at;
    this.token = token;
    this.newestPosition = newest;
    this.newestVersionAt = newestAt;
    this.retainedFrom = keptFrom;
    this.marks = marks;
  }

  /** Sets the observer of rows. */
  watch(watcher: RowWatcher): void {
    this.watcher = watcher;
  }

  /**
   * Does the long work of the next entry in slices. Readers see the state before it until it is applied, since each row
   * has the position from which it counts; undefined: there is no such work.
   */
  prepare(entry: LogEntry): Promise<void> | undefined {
    return takesLong(entry) ? this.prepareRows(entry) : undefined;
  }

  /** Applies the next entry. Entries come in order, each once. */
  apply(entry: LogEntry): void {
    const { position, at } = entry;
    this.positionApplied = position;
    this.appliedAt = at;
    this.token = entry.token;
    if (this.preparedTo !== position) finish(this.rowsOf(entry));
    if (this.fold(entry)) {
      this.newestPosition = position;
      this.newestVersionAt = at;
    }
    addCommitTime(this.marks, { position, at });
  }

  /**
   * Forgets states that no reader may request: those replaced both before `time` and more than `versions` ago. The state
   * that a pin shows is kept.
   */
  forget({ time, versions }: { time: string; versions: number }): void {
    const timed = this.at <= time ? this.position : positionAt(this.marks, time);
    const limit = Math.min(timed, this.position - versions, this.pin?.version ?? Infinity);
    if (limit <= this.retainedFrom) return;
    this.retainedFrom = limit;
    dropCommitTimes(this.marks, limit);
    this.rows.forget(limit, (row) => this.watcher?.forgotten(row));
  }

  /** @returns whether readers see another state than before */
  private fold(entry: LogEntry): boolean {
    const before = this.control;
    this.control = foldControl(before, entry, this.hold?.import);
    if (this.control.declaration !== before.declaration) this.watcher?.declared(this.control.declaration);
    switch (entry.kind) {
      case 'changes': {
        let seen = false;
        for (const change of entry.changes) seen = this.take(change) || seen;
        return seen;
      }
      case 'schema':
        return true;
      case 'dropped':
        if (before.declaration === undefined) this.watcher?.declared(undefined);
        this.hold = undefined;
        return true;
      case 'hold':
        this.hold ??= new Hold(entry.import);
        return false;
      case 'release':
      case 'discard':
        return this.hold?.import === entry.import && this.endHold();
      case 'pin':
      case 'unpin':
      case 'heartbeat':
        return false;
    }
  }

  /** @returns whether readers see it at once */
  private take(change: Change): boolean {
    const { hold } = this;
    const known = hold?.get(change.id)?.version ?? newestVersion(this.rows, change.id);
    if (change.version !== known + 1) return false;
    if (hold === undefined) this.effects.takeEffect(change, this.positionApplied);
    else hold.add(change);
    return hold === undefined;
  }

  /** @returns whether readers see another state */
  private endHold(): boolean {
    const hasEffect = this.hold?.hasEffect === true;
    this.hold = undefined;
    return hasEffect;
  }

  /** Places the rows of an entry that are not part of a change list, in steps; a step that was done is not repeated. */
  private *rowsOf(entry: LogEntry): Generator<void> {
    const { kind, position: from } = entry;
    const { takeEffect, useUp, replaceRows } = this.effects;
    if (kind === 'release' && this.hold?.import === entry.import) yield* this.settle(takeEffect, from);
    if (kind === 'discard' && this.hold?.import === entry.import) yield* this.settle(useUp, from);
    if (kind === 'schema' && entry.rewrite) {
      const rewritten = (text: string) => {
        const body = this.options.rewrite(entry.spec, text);
        return { body, at: updatedAtOf(body) };
      };
      yield* replaceRows(rewritten, from);
    }
    if (kind === 'dropped') {
      yield* this.settle(takeEffect, from); // their versions are used up
      yield* replaceRows(() => ({ body: null, at: entry.at }), from);
    }
  }

  /** Pending changes are validated here, against the declaration in force at the release. */
  private *settle(effect: Effect, from: number): Generator<void> {
    if (this.hold !== undefined) yield* this.hold.settle((change) => effect(change, from));
  }

  private async prepareRows(entry: LogEntry): Promise<void> {
    await finishInTurns(this.rowsOf(entry), SLICE);
    if (entry.kind === 'schema') await this.watcher?.prepare(declarationOf(entry));
    this.preparedTo = entry.position;
  }
}

export const createReplica = (options: ReplicaOptions): Replica => new Replica(options);

const takesLong = (entry: LogEntry): boolean =>
  ['release', 'discard', 'dropped'].includes(entry.kind) || (entry.kind === 'schema' && entry.rewrite === true);

/** Rows processed before the loop yields: some milliseconds. */
const SLICE = 500;
