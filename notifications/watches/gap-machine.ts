import type { Gap, GapColumns } from './gap-columns.js';
import {
  adoptGap,
  armGap,
  closeGap,
  dueOf,
  fireGap,
  type GapEvent,
  type GapTransition,
  type Observation,
  observeChange,
  silenceGap,
} from './gap-reducer.js';
import { compileGapRules, type GapRules } from './gap-rules.js';
import { createGapTable } from './gap-table.js';
import { type GapView, viewGap } from './gap-view.js';

export type { GapEvent, Observation } from './gap-reducer.js';
export type { GapRules } from './gap-rules.js';

/**
 * The gaps of one watch, one for each entity in its scope. Time is that of the log and is given with each call, never
 * read; it does not go back. `emit` is called in the order of due times.
 */
export function createGapMachine(given: GapRules, emit: (event: GapEvent) => void) {
  const table = createGapTable();
  const { gaps, dues } = table;
  let rules = compileGapRules(given);
  let isPaused = false;

  function put(slot: number, gap: Gap): void {
    table.put(slot, gap, dueOf(rules, gap));
  }

  function apply(slot: number, { gap, emits }: GapTransition): void {
    put(slot, gap);
    if (emits !== undefined) emit({ id: gaps.id(slot), ...emits });
  }

  function fire(slot: number, due: number): void {
    if (isPaused) put(slot, silenceGap(gaps.read(slot)));
    else apply(slot, fireGap(rules, gaps.read(slot), due));
  }

  /** Emits everything that was due before this time: the log proves that no change came by then. */
  function advance(at: number): void {
    if (isPaused && !rules.skipsPauses) return;
    for (let due = dues.firstDue(); due < at; due = dues.firstDue()) fire(dues.first(), due);
  }

  return {
    advance,
    /** Applies a change at this time of the log; a version that was seen already changes nothing. */
    observe(change: Observation, at: number): void {
      advance(at);
      const found = gaps.find(change.id);
      if (found < 0 ? !change.member : change.version <= gaps.version(found)) return;
      const slot = found < 0 ? gaps.add(change.id) : found;
      apply(slot, observeChange(rules, gaps.read(slot), change, at));
    },
    /** Ends every gap: the dataset was dropped. */
    closeAll(at: number): void {
      for (let slot = 0; slot < gaps.size(); slot += 1) apply(slot, closeGap(rules, gaps.read(slot), at));
    },
    /**
     * Adds an entity that is in the scope when the watch begins.
     * @param start the change that its gap began with; `undefined`: no gap is counted yet
     */
    arm({ id, version }: Pick<Observation, 'id' | 'version'>, start: { gap: number; since: number } | undefined): void {
      const slot = gaps.add(id);
      put(slot, armGap({ ...gaps.read(slot), version }, start));
    },
    /** Adopts what another machine emitted about gaps that are the same here. */
    takeOver(other: GapColumns): void {
      table.forEachOpen((slot, gap) => {
        const earlier = other.find(gaps.id(slot));
        const adopted = earlier < 0 ? undefined : adoptGap(gap, other.read(earlier));
        if (adopted !== undefined) put(slot, adopted);
      });
    },
    /** Changes the rules: deadlines are computed again from the start of each gap; emitted events stay emitted. */
    edit(next: GapRules): void {
      rules = compileGapRules(next);
      table.schedule((gap) => dueOf(rules, gap));
    },
    pause: () => void (isPaused = true),
    resume: () => void (isPaused = false),
    /** Writes the state of every entity; due times follow from it. */
    encode: () => gaps.encode(),
    /** Reads encoded state into a new machine. @returns the number of bytes read */
    decode: (bytes: Buffer): number => table.decode(bytes, (gap) => dueOf(rules, gap)),
    view(id: bigint): GapView | undefined {
      const slot = gaps.find(id);
      return slot < 0 ? undefined : viewGap(rules, gaps.read(slot), dues.dueOf(slot));
    },
    gaps,
    /** When an event is due next; Infinity: none is, or the pause drops it. */
    nextDue: () => (isPaused && !rules.skipsPauses ? Infinity : dues.firstDue()),
    /** Entities with an open gap. */
    armed: () => table.openCount(),
    sizeBytes: () => table.sizeBytes(),
  };
}
export type GapMachine = ReturnType<typeof createGapMachine>;
