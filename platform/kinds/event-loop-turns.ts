import { setImmediate as turn } from 'node:timers/promises';

/** Takes the steps to their end, so many at a time; in between others get their turn. */
export async function finishInTurns(steps: Iterator<void>, size: number): Promise<void> {
  for (let taken = 1; steps.next().done !== true; taken += 1) if (taken % size === 0) await turn();
}
