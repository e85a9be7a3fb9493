import { z } from 'zod';
import { count } from '../../reference/dataset/dataset-field.js';
import { parseDuration } from '../../platform/kinds/duration.js';
import type { Resource } from '../../platform/kinds/resource.js';
import type { ProbeReport } from './probe.js';
import { PAYLOADS } from '../../platform/kinds/source-event.js';
import type { DeclaredFields } from '../../reference/dataset/dataset.js';
import type { SourcePositions } from './outbox-event.js';

const text = (most: number) =>
  z.string('must be text').min(1, 'must not be empty').max(most, `must have at most ${most} characters`);
const HEADER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/;
/** Names that are ours, or that belong to the connection. */
const OWN_HEADERS =
  /^(webhook-.*|slipway-.*|content-.*|host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|user-agent|proxy-.*)$/i;

const Headers = z
  .record(
    z
      .string()
      .regex(HEADER, 'must be the name of a header')
      .refine((name) => !OWN_HEADERS.test(name), 'is set by the service'),
    z
      .string('must be text')
      .max(1_024, 'must have at most 1024 characters')
      .regex(/^[\x20-\x7e\t]*$/, 'must be printable ASCII'),
  )
  .refine((headers) => Object.keys(headers).length <= 20, 'must have at most 20 headers');

const MaxBlock = z
  .string('must be a duration or "wait"')
  .refine(
    (value) => value === 'wait' || (parseDuration(value) ?? 0) >= 1_000,
    'must be "wait" or a duration such as PT1H',
  );

/** Seconds before each attempt, after the end of the one before it: more than 75 hours in all. */
export const DEFAULT_SCHEDULE: readonly number[] = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

const Schedule = z
  .array(count(0, 86_400), 'must be a list of seconds')
  .min(1, 'must have at least one step')
  .max(24, 'must have at most 24 steps')
  .refine((steps) => steps.reduce((sum, step) => sum + step, 0) <= 8 * 86_400, 'must end within 8 days');

/** What a subscriber asks for, under the names of the wire. */
export const SubscriptionSpec = z.strictObject(
  {
    name: text(200),
    /** `pull`: only the feed. */
    mode: z.enum(['push', 'pull'], 'must be push or pull').default('push'),
    url: text(2_048).nullable().default(null),
    /** Where we ask about an attempt that ended unclear; of the same origin as `url`. */
    receipt_url: text(2_048).nullable().default(null),
    /** Names of event types; `dataset.positions.*` stands for all of a family. */
    types: z
      .array(text(200), 'must be a list of event types')
      .min(1, 'must name at least one type')
      .max(50, 'must name at most 50 types'),
    filter: text(8_192).nullable().default(null),
    payload: z.enum(PAYLOADS, `must be one of: ${PAYLOADS.join(', ')}`).default('full'),
    headers: Headers.default({}),
    on_ambiguous: z.enum(['resend', 'hold', 'pull'], 'must be resend, hold or pull').default('resend'),
    ordering: z
      .strictObject({
        mode: z.enum(['entity', 'strict', 'none'], 'must be entity, strict or none').default('entity'),
        max_block: MaxBlock.default('PT1H'),
      })
      .prefault({}),
    rate: z
      .strictObject({ per_second: count(1, 1_000).default(50), concurrency: count(1, 100).default(8) })
      .prefault({}),
    /** Seconds before each attempt. */
    schedule: Schedule.default([...DEFAULT_SCHEDULE]),
  },
  'must be an object',
);
export type SubscriptionSpec = z.infer<typeof SubscriptionSpec>;

/** A key that signs; the newest stands first. */
export interface SubscriptionKey {
  kid: string;
  kind: 'hmac' | 'ed25519';
  /** Sealed. */
  secret: string;
  created_at: string;
  /** Until when it still signs beside a newer one. */
  expires_at: string | null;
}

/** Those that sign at this time. */
export const liveKeys = (keys: readonly SubscriptionKey[], now: Date): SubscriptionKey[] =>
  keys.filter(({ expires_at }) => expires_at === null || expires_at > now.toISOString());

export const MOST_SUBSCRIPTIONS = 10_000;

/** Notices of one subscription that are not settled: with so many no more are made until some are. */
export const MOST_UNSETTLED = 1_000_000;

export const SUBSCRIPTION_STATES = ['unverified', 'active', 'paused', 'disabled', 'removed'] as const;
/** What an endpoint can show, the least first. */
export const LEVELS = ['L0', 'L1', 'L2', 'L3'] as const;

/** The pipeline whose `notify` made a subscription, and the generation of the pipeline that its settings follow. */
export interface SubscriptionOwner {
  pipeline: string;
  uid: string;
  generation: number;
}

export interface SubscriptionStatus {
  /** Set when a pipeline maintains the subscription: clients cannot change or delete it. */
  owner?: SubscriptionOwner;
  /** `unverified`: its receiver has not answered a probe yet; notices are kept for it. */
  state: (typeof SUBSCRIPTION_STATES)[number];
  /** Why it is unverified or disabled. */
  reason: string | null;
  keys: readonly SubscriptionKey[];
  /** What the endpoint has shown that it can do. */
  level: (typeof LEVELS)[number];
  receipts: 'none' | 'read' | 'tombstone';
  /** When that was found out. */
  checked_at: string | null;
  /** What its receiver granted when it was looked at, where it grants a rate. */
  allowed_rate?: { per_minute: number };
  /** The newest look at it. */
  probe?: ProbeReport;
  /** Its endpoint is left alone between single attempts: since when, and what the newest failure was. */
  failing?: { since: string; reason: string };
  /** It has so many notices to send that no more may be made for it: since when, and how many there were. */
  backlog?: { since: string; pending: number };
  /** Where it began to read each stream. */
  starts_at: SourcePositions;
  /** Since when its present settings count: those of this generation, for what is behind these places. */
  effective?: { generation: number; after: SourcePositions };
  /** Declarations of its datasets at that place, which its filter was judged by. */
  declarations: Readonly<Record<string, DeclaredFields>>;
}
export type Subscription = Resource<SubscriptionSpec, SubscriptionStatus>;
