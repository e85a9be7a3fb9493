import { z } from 'zod';
import { count } from '../../reference/dataset/dataset-field.js';

const Digits = z.string('must be a number in digits').regex(/^[1-9]\d{0,14}$/, 'must be a number in digits');

/** The deliveries to send again, under the names of the wire. */
export const RecoverySpec = z.strictObject({
  /** Times of fan-out: `from` is included, `until` is not. */
  from: z.string('must be a time').nullable().default(null),
  until: z.string('must be a time').nullable().default(null),
  /** These alone. */
  sequences: z
    .array(Digits, 'must be a list of numbers')
    .min(1, 'must name at least one')
    .max(1_000, 'must name at most 1000')
    .nullable()
    .default(null),
  /** Names of event types, or of families such as `dataset.positions.*`. */
  types: z.array(z.string('must be an event type'), 'must be a list of event types').max(50).default([]),
  filter: z.string('must be text').min(1).max(8_192).nullable().default(null),
  dry_run: z.boolean('must be true or false').default(false),
  /** Limit of reopened deliveries per second. */
  per_second: count(1, 1_000).default(50),
});
export type RecoverySpec = z.infer<typeof RecoverySpec>;

/** An order of an operator to send deliveries again. */
export interface Recovery {
  /** `replay`: in any state; `recover`: only failed ones. */
  kind: 'replay' | 'recover';
  spec: RecoverySpec;
  /** The range of sequences that it examines. */
  first: number;
  last: number;
  actor: string;
  /** RFC 3339. */
  at: string;
}

export interface RecoveryCounts {
  examined: number;
  /** Examined deliveries that match the order. */
  matched: number;
  /** Matched deliveries that were reopened; the others are still in progress. */
  reopened: number;
}
/** The progress of a recovery. */
export interface RecoveryPosition extends RecoveryCounts {
  /** Number of the recovery: 1, 2, 3 ... per subscription. */
  number: number;
  /** The sequence to examine next. */
  next: number;
  done: boolean;
  /** When it reopened the newest delivery, in milliseconds; a drain that continues keeps to the rate. */
  openedAt?: number;
}
