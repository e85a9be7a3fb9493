import { parseDuration } from '../../platform/kinds/duration.js';
import { unreachable } from '../../platform/kinds/errors.js';
import type { WatchKind, WatchSpec } from '../kinds/watch.js';
import { createDeadlines, missedPeriods } from './deadlines.js';
import { createDueHeap } from './due-heap.js';
import { createGapColumns, type GapColumns, type State, STATES, EMITTED } from './gap-columns.js';

/** What of the settings decides about deadlines and notices; what decides about entities stands in the observations. */
export type GapRules = Pick<
  WatchSpec,
  'period' | 'grace' | 'late_notice' | 'rearm' | 'recovery_notice' | 'closed_notice' | 'on_resume'
> & { counts: Pick<WatchSpec['counts'], 'dwell'> };

/** One version of one entity, as the watch sees it. */
export interface Observation {
  id: bigint;
  /** Rises with every change of the entity. */
  version: number;
  /** It is in the scope from now on. */
  member: boolean;
  /** The change is of the kind that counts. */
  counts: boolean;
  /** What it is to stay is so from now on; of a watch without such a filter always true. */
  dwells: boolean;
}

/** What there is to tell of a gap; the id of its record is made of the entity, `gap`, `kind` and `repeat`. */
export interface GapEvent {
  kind: WatchKind;
  id: bigint;
  /** Of the entity, as far as the log was read. */
  version: number;
  /** Version that began the gap. */
  gap: number;
  /** 0: the first absence of the gap; 1, 2, 3 ...: those told again. */
  repeat: number;
  since: number;
  deadline: number;
  /** When it was due by the log's time; of `resumed` and `closed`, when it happened. */
  at: number;
  /** Periods without a change, of `resumed` alone. */
  missed: number;
}

/** What is known of one entity, for people. */
export interface GapView {
  state: 'out' | 'waiting' | 'armed' | 'late' | 'absent' | 'silenced' | 'over';
  gap: number;
  since: number;
  deadline: number;
  /** Deadline and grace. */
  absentAt: number;
  /** What is told next, if nothing happens. */
  due: number;
  repeats: number;
}

/**
 * The gaps of one watch: state machine of every entity in its scope. Time is that of the log and is given with each call,
 * never read; it does not go back. `tell` is called in the order of due times.
 */
export function createGapMachine(given: GapRules, tell: (told: GapEvent) => void) {
  const gaps = createGapColumns();
  const heap = createDueHeap();
  let rules = compile(given);
  let isPaused = false;
  let open = 0;

  const deadlineOf = (slot: number): number => rules.deadlines.after(gaps.since(slot));

  function told(slot: number, kind: WatchKind, at: number, more: { repeat?: number; missed?: number } = {}): void {
    const { repeat = 0, missed = 0 } = more;
    const deadline = deadlineOf(slot);
    const [id, version, gap, since] = [gaps.id(slot), gaps.version(slot), gaps.gap(slot), gaps.since(slot)];
    tell({ kind, id, version, gap, repeat, since, deadline, at, missed });
  }

  /** The next thing to be told of an open gap. */
  function dueOf(slot: number): number {
    const deadline = deadlineOf(slot);
    const bits = gaps.told(slot);
    if (bits & EMITTED.absent) return rules.repeatAt(deadline, gaps.repeats(slot) + 1);
    return rules.tellsLate && !(bits & EMITTED.late) ? deadline : deadline + rules.graceMs;
  }

  function begin(slot: number, version: number, at: number): void {
    if (gaps.state(slot) !== STATES.open) open += 1;
    gaps.open(slot, version, at);
    heap.set(slot, dueOf(slot));
  }

  function leave(slot: number, state: (typeof STATES)['out' | 'waiting' | 'silenced' | 'over']): void {
    if (gaps.state(slot) === STATES.open) open -= 1;
    gaps.setState(slot, state);
    heap.clear(slot);
  }

  /** The change came: whoever was told of the gap hears of its end. */
  function end(slot: number, at: number): void {
    if (gaps.state(slot) !== STATES.open || gaps.told(slot) === 0 || !rules.tellsRecovery) return;
    told(slot, 'resumed', at, { missed: missedPeriods(rules.deadlines, deadlineOf(slot), at) });
  }

  /** Something is due, and the log has passed it. */
  function fire(slot: number, due: number): void {
    if (isPaused) return leave(slot, STATES.silenced);
    const bits = gaps.told(slot);
    if (bits & EMITTED.absent) {
      gaps.setRepeats(slot, gaps.repeats(slot) + 1);
      told(slot, 'absent', due, { repeat: gaps.repeats(slot) });
    } else if (rules.tellsLate && !(bits & EMITTED.late)) {
      gaps.tell(slot, EMITTED.late);
      told(slot, 'late', due);
    } else {
      gaps.tell(slot, EMITTED.absent);
      told(slot, 'absent', due);
    }
    heap.set(slot, dueOf(slot));
  }

  /** Everything that was due before this time: the log says that no change came by then. */
  function advance(at: number): void {
    if (isPaused && !rules.skips) return;
    for (let due = heap.firstDue(); due < at; due = heap.firstDue()) fire(heap.first(), due);
  }

  function enter(slot: number, { version, dwells }: Observation, at: number): void {
    if (dwells) begin(slot, version, at);
    else leave(slot, STATES.waiting);
  }

  function stay(slot: number, { version, counts, dwells }: Observation, at: number): void {
    const isNews = rules.dwell ? dwells !== (gaps.state(slot) !== STATES.waiting) : counts;
    if (!isNews || gaps.state(slot) === STATES.over) return;
    end(slot, at);
    const wasAbsent = gaps.state(slot) === STATES.open && (gaps.told(slot) & EMITTED.absent) !== 0;
    if (wasAbsent && rules.armsOnce) leave(slot, STATES.over);
    else if (dwells) begin(slot, version, at);
    else leave(slot, STATES.waiting);
  }

  /** A change at this time of the log. What was seen already is passed over. */
  function observe(seen: Observation, at: number): void {
    advance(at);
    let slot = gaps.find(seen.id);
    if (slot < 0 && !seen.member) return;
    if (slot >= 0 && seen.version <= gaps.version(slot)) return;
    if (slot < 0) slot = gaps.add(seen.id);
    gaps.setVersion(slot, seen.version);
    const was = gaps.state(slot);
    if (!seen.member) {
      if (was === STATES.open && rules.tellsClosed) told(slot, 'closed', at);
      leave(slot, STATES.out);
    } else if (was === STATES.out) enter(slot, seen, at);
    else stay(slot, seen, at);
  }

  return {
    advance,
    observe,
    /** Everything leaves at once: the dataset was dropped. */
    closeAll(at: number): void {
      for (let slot = 0; slot < gaps.size(); slot += 1) {
        if (gaps.state(slot) === STATES.open && rules.tellsClosed) told(slot, 'closed', at);
        leave(slot, STATES.out);
      }
    },
    /**
     * An entity that is in the scope when the watch begins.
     * @param begun the change that its gap began with; `undefined`: no gap is counted yet
     */
    arm({ id, version }: Pick<Observation, 'id' | 'version'>, begun: { gap: number; since: number } | undefined): void {
      const slot = gaps.add(id);
      gaps.setVersion(slot, version);
      if (begun === undefined) leave(slot, STATES.waiting);
      else begin(slot, begun.gap, begun.since);
    },
    /** What another machine told of gaps that are the same here is told already. */
    takeOver(other: GapColumns): void {
      for (let slot = 0; slot < gaps.size(); slot += 1) {
        const before = other.find(gaps.id(slot));
        if (before < 0 || other.gap(before) !== gaps.gap(slot) || gaps.state(slot) !== STATES.open) continue;
        const state = other.state(before);
        gaps.tell(slot, other.told(before));
        gaps.setRepeats(slot, other.repeats(before));
        if (state === STATES.silenced || state === STATES.over) leave(slot, state);
        else heap.set(slot, dueOf(slot));
      }
    },
    /** Other settings: every deadline is reckoned anew from the change that began its gap; what was told stays told. */
    edit(next: GapRules): void {
      rules = compile(next);
      for (let slot = 0; slot < gaps.size(); slot += 1) {
        if (gaps.state(slot) === STATES.open) heap.set(slot, dueOf(slot));
      }
    },
    pause: () => void (isPaused = true),
    resume: () => void (isPaused = false),
    /** Everything that it knows of entities; what is due follows from it. */
    encode: () => gaps.encode(),
    /** Into a new machine. @returns how many bytes of it there were */
    decode(bytes: Buffer): number {
      const length = gaps.decode(bytes);
      open = 0;
      for (let slot = 0; slot < gaps.size(); slot += 1) {
        if (gaps.state(slot) !== STATES.open) continue;
        open += 1;
        heap.set(slot, dueOf(slot));
      }
      return length;
    },
    view(id: bigint): GapView | undefined {
      const slot = gaps.find(id);
      if (slot < 0) return undefined;
      const deadline = deadlineOf(slot);
      return {
        state: wordOf(gaps.state(slot), gaps.told(slot)),
        gap: gaps.gap(slot),
        since: gaps.since(slot),
        deadline,
        absentAt: deadline + rules.graceMs,
        due: heap.dueOf(slot),
        repeats: gaps.repeats(slot),
      };
    },
    gaps,
    /** When something is due next; Infinity: nothing is, or nobody would be told. */
    nextDue: () => (isPaused && !rules.skips ? Infinity : heap.firstDue()),
    /** Entities with a gap that goes on. */
    armed: () => open,
    sizeBytes: () => gaps.sizeBytes() + heap.sizeBytes(),
  };
}
export type GapMachine = ReturnType<typeof createGapMachine>;

function wordOf(state: State, told: number): GapView['state'] {
  switch (state) {
    case STATES.open:
      return told & EMITTED.absent ? 'absent' : told & EMITTED.late ? 'late' : 'armed';
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

function compile({ period, grace, late_notice, rearm, counts, ...flags }: GapRules) {
  const deadlines = createDeadlines(period);
  const graceMs = parseDuration(grace) ?? 0;
  const everyMs = rearm.every === null ? undefined : (parseDuration(rearm.every) ?? 0);
  return {
    deadlines,
    graceMs,
    tellsLate: late_notice && graceMs > 0,
    tellsRecovery: flags.recovery_notice,
    tellsClosed: flags.closed_notice,
    skips: flags.on_resume === 'skip',
    dwell: counts.dwell !== null,
    armsOnce: rearm.mode === 'never',
    /** When an absence is told again for the k-th time; Infinity: never. */
    repeatAt(deadline: number, repeat: number): number {
      if (rearm.mode !== 'every' || repeat > rearm.max) return Infinity;
      if (everyMs !== undefined) return deadline + graceMs + repeat * everyMs;
      let end = deadline;
      for (let k = 0; k < repeat; k += 1) end = deadlines.next(end);
      return end + graceMs;
    },
  };
}
