import type { RoundPosition, RoundResult } from '../../platform/kinds/round.js';
import { type RoundOptions, type RoundPart, runTurn } from './round.js';

export interface UpkeepActivityDeps {
  parts: readonly RoundPart[];
  onDone?: RoundOptions['onDone'];
  onSkipped?: RoundOptions['onSkipped'];
}

export type UpkeepActivities = ReturnType<typeof createUpkeepActivities>;

/** A turn ends well before its start-to-close time: only an item that hangs lasts longer. */
const TURN_MS = 5 * 60_000;
const ITEM_MS = 20 * 60_000;

/** Removes what is past its retention time. */
export function createUpkeepActivities({ parts, ...listeners }: UpkeepActivityDeps) {
  return {
    upkeep: (from?: RoundPosition): Promise<RoundResult> =>
      runTurn(parts, { from, turnMs: TURN_MS, itemMs: ITEM_MS, ...listeners }),
  };
}
