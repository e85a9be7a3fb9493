import { parseDuration } from '../../platform/kinds/duration.js';
import type { WatchSpec } from '../kinds/watch.js';
import { createDeadlines, type Deadlines } from './deadlines.js';

/** The settings that decide about deadlines and emitted events; observations hold what the other settings decide. */
export type GapRules = Pick<
  WatchSpec,
  'period' | 'grace' | 'late_notice' | 'rearm' | 'recovery_notice' | 'closed_notice' | 'on_resume'
> & { counts: Pick<WatchSpec['counts'], 'dwell'> };

/** The rules in the form that transitions read. */
export interface CompiledGapRules {
  deadlines: Deadlines;
  graceMs: number;
  emitsLate: boolean;
  emitsResumed: boolean;
  emitsClosed: boolean;
  /** A deadline that passes during a pause is dropped. */
  skipsPauses: boolean;
  /** A gap lasts as long as the dwell filter matches, instead of until a change that counts. */
  isDwell: boolean;
  armsOnce: boolean;
  /** When an absence is emitted again for the k-th time; Infinity: never. */
  repeatAt: (deadline: number, repeat: number) => number;
}

export function compileGapRules({ period, grace, late_notice, rearm, counts, ...flags }: GapRules): CompiledGapRules {
  const deadlines = createDeadlines(period);
  const graceMs = parseDuration(grace) ?? 0;
  const everyMs = rearm.every === null ? undefined : (parseDuration(rearm.every) ?? 0);
  return {
    deadlines,
    graceMs,
    emitsLate: late_notice && graceMs > 0,
    emitsResumed: flags.recovery_notice,
    emitsClosed: flags.closed_notice,
    skipsPauses: flags.on_resume === 'skip',
    isDwell: counts.dwell !== null,
    armsOnce: rearm.mode === 'never',
    repeatAt(deadline, repeat) {
      if (rearm.mode !== 'every' || repeat > rearm.max) return Infinity;
      if (everyMs !== undefined) return deadline + graceMs + repeat * everyMs;
      let end = deadline;
      for (let k = 0; k < repeat; k += 1) end = deadlines.next(end);
      return end + graceMs;
    },
  };
}
