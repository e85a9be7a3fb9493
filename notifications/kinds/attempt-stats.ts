import type { AttemptEnd, Outcome } from './attempt.js';

/** The outcomes of all attempts since a subscription was created. */
export interface AttemptStats {
  outcomes: Readonly<Record<Outcome, number>>;
}

export const NO_ATTEMPTS: AttemptStats = { outcomes: { confirmed: 0, not_sent: 0, refused: 0, ambiguous: 0 } };

export const countAttempt = ({ outcomes }: AttemptStats, { outcome }: AttemptEnd): AttemptStats => ({
  outcomes: { ...outcomes, [outcome]: outcomes[outcome] + 1 },
});
