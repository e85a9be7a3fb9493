import type { Change } from './change.js';

/** The members of a change that a hold stores: there may be millions of them. */
export type Pending = Pick<Change, 'id' | 'version' | 'at' | 'body' | 'schema'>;
const pendingOf = ({ id, version, at, body, schema }: Change): Pending => ({ id, version, at, body, schema });

/** The changes that an import keeps back until its release, the newest of each entity. */
export class Hold {
  readonly import: string;
  private readonly pending = new Map<string, Pending>();
  private settled = 0;

  constructor(importId: string) {
    this.import = importId;
  }

  get(id: string): Pending | undefined {
    return this.pending.get(id);
  }

  add(change: Change): void {
    this.pending.set(change.id, pendingOf(change));
  }

  changes(): Iterable<Pending> {
    return this.pending.values();
  }

  /** Applies the pending changes one by one; an interrupted run continues with those that are left. */
  *settle(effect: (change: Pending) => void): Generator<void> {
    for (const change of this.pending.values()) {
      effect(change);
      this.pending.delete(change.id);
      this.settled += 1;
      yield;
    }
  }

  /** Whether any change was settled. */
  get hasEffect(): boolean {
    return this.settled > 0;
  }
}
