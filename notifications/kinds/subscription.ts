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
/** Headers that the service or the connection sets. */
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

/** The settings of a subscription, under the names of the wire. */
export const SubscriptionSpec = z.strictObject(
  {
    name: text(200),
    /** `pull`: only the feed. */
    mode: z.enum(['push', 'pull'], 'must be push or pull').default('push'),
    url: text(2_048).nullable().default(null),
    /** Address that answers questions about ambiguous attempts; same origin as `url`. */
    receipt_url: text(2_048).nullable().default(null),
    /** Names of event types; `dataset.positions.*` names a family. */
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

/** A signing key; lists hold the newest first. */
export interface SubscriptionKey {
  kid: string;
  kind: 'hmac' | 'ed25519';
  /** Sealed. */
  secret: string;
  created_at: string;
  /** The end of its overlap with a newer key. */
  expires_at: string | null;
}

/** @returns the keys that sign at this time */
export const liveKeys = (keys: readonly SubscriptionKey[], now: Date): SubscriptionKey[] =>
  keys.filter(({ expires_at }) => expires_at === null || expires_at > now.toISOString());

/** A drain starts no attempt unless it read its subscription, with the keys, within this time. */
export const REFRESH_MS = 1_000;
/** So long after a change of the keys, every attempt that starts is signed by them: with room for the read itself. */
export const KEYS_KNOWN_MS = 2 * REFRESH_MS;

export const MOST_SUBSCRIPTIONS = 10_000;

/** Limit of unsettled deliveries of one subscription: fan-out pauses at it. */
export const MOST_UNSETTLED = 1_000_000;

export const SUBSCRIPTION_STATES = ['unverified', 'active', 'paused', 'disabled', 'removed'] as const;
/** The levels that an endpoint can prove, the lowest first. */
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
  /** `unverified`: its receiver has not answered a probe yet; events are kept for it. */
  state: (typeof SUBSCRIPTION_STATES)[number];
  /** Why it is unverified or disabled. */
  reason: string | null;
  keys: readonly SubscriptionKey[];
  /** The level that the endpoint has proven. */
  level: (typeof LEVELS)[number];
  receipts: 'none' | 'read' | 'tombstone';
  /** When the level was proven. */
  checked_at: string | null;
  /** The rate that its receiver granted at the newest probe. */
  allowed_rate?: { per_minute: number };
  /** The newest probe. */
  probe?: ProbeReport;
  /** Set while the breaker of its endpoint, or of the host that it waits for, is open: since when, and the newest failure. */
  failing?: { since: string; reason: string };
  /** Set while its drains end with an unexpected error, which is a bug: since when. */
  fault?: { since: string; reason: string };
  /** Set while its backlog is so large that fan-out may pause: since when, and its size. */
  backlog?: { since: string; pending: number };
  /** The first position of each of its streams. */
  starts_at: SourcePositions;
  /** The positions after which the settings of this generation apply. */
  effective?: { generation: number; after: SourcePositions };
  /** Declarations of its datasets at that position; its filter was validated against them. */
  declarations: Readonly<Record<string, DeclaredFields>>;
}
export type Subscription = Resource<SubscriptionSpec, SubscriptionStatus>;
