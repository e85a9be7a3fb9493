/** Temporal pauses so long at most before it repeats a step. */
export const LONGEST_PAUSE_MS = 60_000;

/**
 * Attempts of a step, whose pauses alone last more than four hours. Attempts and not time are the limit, because time
 * would count while a step waits in its queue for a slot.
 */
export const MOST_ATTEMPTS = 250;

/** Attempts of the short steps that a run cannot do without; their pauses last a day. */
export const MOST_ATTEMPTS_OF_RECORDS = 1_450;
