import { createHash } from 'node:crypto';
import type { ConnectionFault, Fault } from './faults.js';

/** The faults of a receiver. */
export interface Plan {
  /** @param nth which connection it is, from 1 on */
  connection?(nth: number): ConnectionFault | undefined;
  /** @param nth which request about this notice it is, of its kind, from 1 on */
  notice?(id: string, nth: number): Fault | undefined;
  receipt?(id: string, nth: number): Fault | undefined;
}

/** In 100,000 requests or connections. Those that take many seconds each, or stop everything for one, are rare. */
// prettier-ignore
const NOTICE_SHARES: Readonly<Record<Fault, number>> = {
  hang: 300, reset: 3_000, commit_reset: 4_000, commit_silence: 300, commit_late: 300, commit_cut: 2_000, garbage: 2_000,
  hints: 200, drip: 100, endless: 500, moved: 500, bad_request: 1_000, gone: 50, failing: 3_000,
  busy_seconds: 100, busy_date: 50, away_seconds: 100, away_date: 50,
};
// prettier-ignore
const RECEIPT_SHARES: Partial<Record<Fault, number>> = {
  hang: 300, reset: 5_000, commit_reset: 5_000, commit_silence: 300, garbage: 3_000, failing: 5_000, bad_request: 2_000,
};
const CONNECTION_SHARES = { refuse: 20, accept_reset: 1_000, no_reading: 100 } as const;
const TLS_SHARES = { tls_failure: 1_000, tls_hang: 100 } as const;
const WHOLE = 100_000;
/** From then on a notice meets nothing more, so that every run comes to an end. */
const LAST_FAULT = 6;
const FAILS_FIVE_TIMES = 200;

/** The same faults for the same seed, number of the notice and number of the request. */
export function createPlan(seed: number, { tls = false } = {}): Plan {
  const draw = (what: string): number =>
    createHash('sha256').update(`${seed}/${what}`).digest().readUInt32BE(0) % WHOLE;
  const pick = <F extends string>(shares: Partial<Record<F, number>>, drawn: number): F | undefined => {
    let upTo = 0;
    for (const [fault, share] of Object.entries(shares) as [F, number][]) {
      upTo += share;
      if (drawn < upTo) return fault;
    }
    return undefined;
  };
  // Only the number in the id counts: the rest of the id is random in each run.
  const numberOf = (id: string): string => /_(\d+)_[^_]+$/.exec(id)?.[1] ?? id;
  return {
    connection: (nth) => pick(tls ? { ...CONNECTION_SHARES, ...TLS_SHARES } : CONNECTION_SHARES, draw(`c${nth}`)),
    notice(id, nth) {
      if (nth >= LAST_FAULT) return undefined;
      if (draw(`five/${numberOf(id)}`) < FAILS_FIVE_TIMES) return 'failing';
      return pick(NOTICE_SHARES, draw(`n/${numberOf(id)}/${nth}`));
    },
    receipt: (id, nth) => (nth >= LAST_FAULT ? undefined : pick(RECEIPT_SHARES, draw(`r/${numberOf(id)}/${nth}`))),
  };
}
