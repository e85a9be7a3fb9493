import type { WatchKind } from '../kinds/watch.js';
import { missedPeriods } from './deadlines.js';
import { EMITTED, type Gap, STATES } from './gap-columns.js';
import type { CompiledGapRules } from './gap-rules.js';

/** One version of one entity, as the watch sees it. */
export interface Observation {
  id: bigint;
  /** Rises with every change of the entity. */
  version: number;
  /** The entity is in the scope from now on. */
  member: boolean;
  /** The change is of the kind that counts. */
  counts: boolean;
  /** The dwell filter matches from now on; always true for a watch without one. */
  dwells: boolean;
}

/** An event that a watch emits about a gap; the id of its record is made of the entity, `gap`, `kind` and `repeat`. */
export interface GapEvent {
  kind: WatchKind;
  id: bigint;
  /** The entity's version where the log was read to. */
  version: number;
  /** Version that began the gap. */
  gap: number;
  /** 0: the first absence of the gap; 1, 2, 3 ...: its repeats. */
  repeat: number;
  since: number;
  deadline: number;
  /** When it was due by the log's time; for `resumed` and `closed`, when it happened. */
  at: number;
  /** Periods without a change; only for `resumed`. */
  missed: number;
}

/** A gap after a step, and the event that the step emits. */
export interface GapTransition {
  gap: Gap;
  emits?: Omit<GapEvent, 'id'>;
}

export const deadlineOf = (rules: CompiledGapRules, { since }: Gap): number => rules.deadlines.after(since);

/** @returns when the next event of a gap is due; Infinity: never */
export function dueOf(rules: CompiledGapRules, gap: Gap): number {
  if (gap.state !== STATES.open) return Infinity;
  const deadline = deadlineOf(rules, gap);
  if (gap.emitted & EMITTED.absent) return rules.repeatAt(deadline, gap.repeats + 1);
  return rules.emitsLate && !(gap.emitted & EMITTED.late) ? deadline : deadline + rules.graceMs;
}

/** Begins a gap of which no event has been emitted. */
export const openGap = (gap: Gap, start: { gap: number; since: number }): Gap => ({
  ...gap,
  ...start,
  state: STATES.open,
  emitted: 0,
  repeats: 0,
});

/** Begins the gap of an entity that is in the scope when the watch begins; without a start it waits for a change. */
export const armGap = (gap: Gap, start: { gap: number; since: number } | undefined): Gap =>
  start === undefined ? { ...gap, state: STATES.waiting } : openGap(gap, start);

/** The gap came due during a pause that skips: no more events are emitted about it. */
export const silenceGap = (gap: Gap): Gap => ({ ...gap, state: STATES.silenced });

/** The log has passed a due time: no change came by then. */
export function fireGap(rules: CompiledGapRules, gap: Gap, due: number): GapTransition {
  if (gap.emitted & EMITTED.absent) {
    const repeat = gap.repeats + 1;
    return emit(rules, { ...gap, repeats: repeat }, { kind: 'absent', at: due, repeat });
  }
  const kind = rules.emitsLate && !(gap.emitted & EMITTED.late) ? 'late' : 'absent';
  return emit(rules, { ...gap, emitted: gap.emitted | EMITTED[kind] }, { kind, at: due });
}

/** Ends a gap whose entity leaves the scope. */
export function closeGap(rules: CompiledGapRules, gap: Gap, at: number): GapTransition {
  const left: Gap = { ...gap, state: STATES.out };
  if (gap.state !== STATES.open || !rules.emitsClosed) return { gap: left };
  return { ...emit(rules, gap, { kind: 'closed', at }), gap: left };
}

/** Applies a change of an entity, which is newer than the known version of the gap. */
export function observeChange(rules: CompiledGapRules, known: Gap, change: Observation, at: number): GapTransition {
  const gap = { ...known, version: change.version };
  if (!change.member) return closeGap(rules, gap, at);
  if (gap.state === STATES.out) return { gap: nextGap(gap, change, at) };
  return observeMember(rules, gap, change, at);
}

function observeMember(rules: CompiledGapRules, gap: Gap, change: Observation, at: number): GapTransition {
  const endsGap = rules.isDwell ? change.dwells !== (gap.state !== STATES.waiting) : change.counts;
  if (!endsGap || gap.state === STATES.over) return { gap };
  const isOpen = gap.state === STATES.open;
  const isOver = isOpen && (gap.emitted & EMITTED.absent) !== 0 && rules.armsOnce;
  const next: Gap = isOver ? { ...gap, state: STATES.over } : nextGap(gap, change, at);
  if (!isOpen || gap.emitted === 0 || !rules.emitsResumed) return { gap: next };
  const missed = missedPeriods(rules.deadlines, deadlineOf(rules, gap), at);
  return { ...emit(rules, gap, { kind: 'resumed', at, missed }), gap: next };
}

const nextGap = (gap: Gap, { version, dwells }: Observation, at: number): Gap =>
  dwells ? openGap(gap, { gap: version, since: at }) : { ...gap, state: STATES.waiting };

/**
 * Takes over what an earlier machine emitted about the same gap, so that no event is emitted twice.
 * @returns undefined when the other gap is not the same
 */
export function adoptGap(gap: Gap, other: Gap): Gap | undefined {
  if (gap.state !== STATES.open || other.gap !== gap.gap) return undefined;
  const isFinal = other.state === STATES.silenced || other.state === STATES.over;
  const state = isFinal ? other.state : gap.state;
  return { ...gap, state, emitted: gap.emitted | other.emitted, repeats: other.repeats };
}

function emit(
  rules: CompiledGapRules,
  gap: Gap,
  { kind, at, repeat = 0, missed = 0 }: { kind: WatchKind; at: number; repeat?: number; missed?: number },
): GapTransition {
  const { version, since } = gap;
  return { gap, emits: { kind, version, gap: gap.gap, repeat, since, deadline: deadlineOf(rules, gap), at, missed } };
}
