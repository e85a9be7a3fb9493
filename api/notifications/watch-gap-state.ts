import type { Watch } from '../../notifications/kinds/watch.js';
import { createGapMachine } from '../../notifications/watches/gap-machine.js';
import type { GapStart } from '../../notifications/watches/gap-start.js';
import { gapId, watchEventKey } from '../../notifications/events/watch-event.js';

export interface GapStateOptions {
  watch: Watch;
  /** Whether an event was emitted. */
  wasEmitted: (key: string) => Promise<boolean>;
  now: Date;
}

/** An open gap. */
export interface OpenGap {
  /** The entity as a number of the gap machine; `name` is its name in the API. */
  id: bigint;
  name: string;
  version: number;
  start: GapStart;
  /** Earlier gaps of the entity that are examined, the newest first. */
  earlier: readonly number[];
}

const timeOf = (ms: number): string | null => (Number.isFinite(ms) ? new Date(ms).toISOString() : null);

/** Computes the state of a gap from the settings of its watch and the emitted events. */
export async function gapStateOf(
  { watch, wasEmitted, now }: GapStateOptions,
  { id, name, version, start, earlier }: OpenGap,
) {
  const { spec } = watch;
  const machine = createGapMachine(spec, () => {});
  machine.arm({ id, version }, start);
  const { deadline = NaN, absentAt = NaN } = machine.view(id) ?? {};
  const gap = gapId(watch.id, name, start.gap);
  const [late, absent] = await Promise.all([
    wasEmitted(watchEventKey(gap, 'late', 0)),
    wasEmitted(watchEventKey(gap, 'absent', 0)),
  ]);
  const wasAbsent = async (): Promise<boolean> => {
    for (const each of earlier)
      if (await wasEmitted(watchEventKey(gapId(watch.id, name, each), 'absent', 0))) return true;
    return false;
  };
  const dues = spec.late_notice && !late ? [deadline, absentAt] : [absentAt];
  const state = stateOf(watch, {
    ...{ absent, late, isOverdue: absentAt < now.getTime() },
    isOver: spec.rearm.mode === 'never' && !absent && (await wasAbsent()),
    isSkipped: spec.on_resume === 'skip' && dues.some((due) => wasPausedAt(watch, due)),
  });
  return {
    state,
    why: WHY[state],
    gap_id: gap,
    gap_version: start.gap,
    last_changed_at: timeOf(start.since),
    deadline: timeOf(deadline),
    absent_at: timeOf(absentAt),
    // language: wire field of the explanation
    told: [...(late ? ['late'] : []), ...(absent ? ['absent'] : [])],
  };
}

interface GapFacts {
  absent: boolean;
  late: boolean;
  isOver: boolean;
  isOverdue: boolean;
  isSkipped: boolean;
}

function stateOf({ status }: Watch, { absent, late, isOver, isOverdue, isSkipped }: GapFacts): keyof typeof WHY {
  if (absent) return 'absent';
  if (isOver) return 'over';
  if (status.state === 'paused') return 'paused';
  if (isOverdue) return isSkipped ? 'skipped' : 'unknown';
  return late ? 'late' : 'armed';
}

/** By the history of its settings, whose oldest entries go. */
function wasPausedAt({ status }: Watch, time: number): boolean {
  const before = status.history.filter(({ at }) => Date.parse(at) <= time);
  const turns = before.flatMap(({ changed }) => changed.filter((each) => each.startsWith('state: ')));
  return turns.at(-1) === 'state: paused';
}

export const WHY = {
  armed: 'the period goes on',
  late: 'the period has ended, and the grace goes on',
  absent: 'no change that counts came in time',
  paused: 'the watch is paused',
  over: 'its absence was emitted once, and the watch does not arm it again',
  skipped: 'it came due during a pause, and the watch emits no events for those',
  unknown: 'the deadline has passed without an event: the log is not evaluated up to it yet',
} as const;
