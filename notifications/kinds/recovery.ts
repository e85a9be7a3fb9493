import { z } from 'zod';
import { count } from '../../reference/dataset/dataset-field.js';

const Digits = z.string('must be a number in digits').regex(/^[1-9]\d{0,14}$/, 'must be a number in digits');

/** Which notices are to be sent once more, under the names of the wire. */
export const RecoverySpec = z.strictObject({
  /** Times of minting: the first is included, the other is not. */
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
  /** Notices that are opened again in a second, at most. */
  per_second: count(1, 1_000).default(50),
});
export type RecoverySpec = z.infer<typeof RecoverySpec>;

/** Somebody's order to send notices once more, with what was known when it was given. */
export interface Recovery {
  /** `replay`: in whatever state they are; `recover`: those that failed. */
  kind: 'replay' | 'recover';
  spec: RecoverySpec;
  /** The numbers that it looks at. */
  first: number;
  last: number;
  actor: string;
  /** RFC 3339. */
  at: string;
}

export interface RecoveryCounts {
  examined: number;
  /** Of those, the ones that are meant. */
  matched: number;
  /** Of those, the ones that are opened again; the others are on their way by themselves. */
  reopened: number;
}
/** How far it is. */
export interface RecoveryPosition extends RecoveryCounts {
  /** Of the order: 1, 2, 3 ... per subscription. */
  number: number;
  /** The number of a notice that is looked at next. */
  next: number;
  done: boolean;
  /** When it opened the newest one; a drain that goes on keeps to the rate. Milliseconds. */
  openedAt?: number;
}
