import { unreachable } from '../../platform/kinds/errors.js';
import { EMITTED, type Gap, STATES } from './gap-columns.js';
import { deadlineOf } from './gap-reducer.js';
import type { CompiledGapRules } from './gap-rules.js';

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

export function viewGap(rules: CompiledGapRules, gap: Gap, due: number): GapView {
  const deadline = deadlineOf(rules, gap);
  const { gap: begin, since, repeats } = gap;
  return { state: viewStateOf(gap), gap: begin, since, deadline, absentAt: deadline + rules.graceMs, due, repeats };
}

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
