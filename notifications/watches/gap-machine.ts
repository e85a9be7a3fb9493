import { unreachable } from '../../platform/kinds/errors.js';
import { createDueHeap } from './due-heap.js';
import { createGapColumns, EMITTED, type Gap, type GapColumns, STATES } from './gap-columns.js';
import {
  adoptGap,
  closeGap,
  deadlineOf,
  dueOf,
  fireGap,
  type GapEvent,
  type GapTransition,
  type Observation,
  observeChange,
  openGap,
} from './gap-reducer.js';
import { compileGapRules, type GapRules } from './gap-rules.js';

export type { GapEvent, Observation } from './gap-reducer.js';
export type { GapRules } from './gap-rules.js';

/** The state of one entity's gap, as the API shows it. */
export interface GapView {
  state: 'out' | 'waiting' | 'armed' | 'late' | 'absent' | 'silenced' | 'over';
  gap: number;
  since: number;
  deadline: number;
  /** Deadline and grace. */
  absentAt: number;
  /** When the next event is due if no change comes. */
  due: number;
  repeats: number;
}

/**
 * The gaps of one watch, one for each entity in its scope. Time is that of the log and is given with each call, never
 * read; it does not go back. `emit` is called in the order of due times.
 */
export function createGapMachine(given: GapRules, emit: (event: GapEvent) => void) {
  const gaps = createGapColumns();
  const heap = createDueHeap();
  let rules = compileGapRules(given);
  let isPaused = false;
  let armed = 0;

  function put(slot: number, gap: Gap): void {
    armed += Number(gap.state === STATES.open) - Number(gaps.state(slot) === STATES.open);
    gaps.write(slot, gap);
    heap.set(slot, dueOf(rules, gap));
  }

  function apply(slot: number, { gap, emits }: GapTransition): void {
    put(slot, gap);
    if (emits !== undefined) emit({ id: gaps.id(slot), ...emits });
  }

  function fire(slot: number, due: number): void {
    const gap = gaps.read(slot);
    if (isPaused) put(slot, { ...gap, state: STATES.silenced });
    else apply(slot, fireGap(rules, gap, due));
  }

  /** Emits everything that was due before this time: the log proves that no change came by then. */
  function advance(at: number): void {
    if (isPaused && !rules.skipsPauses) return;
    for (let due = heap.firstDue(); due < at; due = heap.firstDue()) fire(heap.first(), due);
  }

  function forEachOpen(visit: (slot: number, gap: Gap) => void): void {
    for (let slot = 0; slot < gaps.size(); slot += 1) {
      if (gaps.state(slot) === STATES.open) visit(slot, gaps.read(slot));
    }
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
      const added = { ...gaps.read(slot), version };
      put(slot, start === undefined ? { ...added, state: STATES.waiting } : openGap(added, start));
    },
    /** Adopts what another machine emitted about gaps that are the same here. */
    takeOver(other: GapColumns): void {
      forEachOpen((slot, gap) => {
        const earlier = other.find(gaps.id(slot));
        const adopted = earlier < 0 ? undefined : adoptGap(gap, other.read(earlier));
        if (adopted !== undefined) put(slot, adopted);
      });
    },
    /** Changes the rules: deadlines are computed again from the start of each gap; emitted events stay emitted. */
    edit(next: GapRules): void {
      rules = compileGapRules(next);
      forEachOpen((slot, gap) => heap.set(slot, dueOf(rules, gap)));
    },
    pause: () => void (isPaused = true),
    resume: () => void (isPaused = false),
    /** Writes the state of every entity; due times follow from it. */
    encode: () => gaps.encode(),
    /** Reads encoded state into a new machine. @returns the number of bytes read */
    decode(bytes: Buffer): number {
      const length = gaps.decode(bytes);
      armed = 0;
      forEachOpen((slot, gap) => {
        armed += 1;
        heap.set(slot, dueOf(rules, gap));
      });
      return length;
    },
    view(id: bigint): GapView | undefined {
      const slot = gaps.find(id);
      if (slot < 0) return undefined;
      const gap = gaps.read(slot);
      const deadline = deadlineOf(rules, gap);
      return {
        state: viewStateOf(gap),
        gap: gap.gap,
        since: gap.since,
        deadline,
        absentAt: deadline + rules.graceMs,
        due: heap.dueOf(slot),
        repeats: gap.repeats,
      };
    },
    gaps,
    /** When an event is due next; Infinity: none is, or the pause drops it. */
    nextDue: () => (isPaused && !rules.skipsPauses ? Infinity : heap.firstDue()),
    /** Entities with an open gap. */
    armed: () => armed,
    sizeBytes: () => gaps.sizeBytes() + heap.sizeBytes(),
  };
}
export type GapMachine = ReturnType<typeof createGapMachine>;

function viewStateOf({ state, emitted }: Gap): GapView['state'] {
  switch (state) {
    case STATES.open:
      return emitted & EMITTED.absent ? 'absent' : emitted & EMITTED.late ? 'late' : 'armed';
    case STATES.out:
      return 'out';
    case STATES.waiting:
      return 'waiting';
    case STATES.silenced:
      return 'silenced';
    case STATES.over:
      return 'over';
    default:
      return unreachable(state);
  }
}
