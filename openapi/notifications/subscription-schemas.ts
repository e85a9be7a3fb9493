import type { oas31 } from 'openapi3-ts';
import { SubscriptionSpec } from '../../notifications/kinds/subscription.js';
import { replySchema, requestSchema } from '../json-schema.js';
import { COUNT, listOf, nullable, OUTCOME, STATES, TEXT, TIME } from './schema-parts.js';

type Members = Record<string, oas31.SchemaObject>;
const spec = replySchema(SubscriptionSpec);
const key: Members = {
  kid: TEXT,
  kind: { type: 'string', enum: ['hmac', 'ed25519'] },
  created_at: TIME,
  expires_at: nullable(TIME),
  last_used_at: nullable({ ...TIME, description: 'When it signed last.' }),
};
const facts: Members = {
  id: TEXT,
  state: { type: 'string', enum: ['unverified', 'active', 'paused', 'disabled'] },
  level: {
    type: 'object',
    properties: {
      proven: { type: 'string', enum: ['L0', 'L1', 'L2', 'L3'] },
      checked_at: nullable(TIME),
      evidence: listOf({
        type: 'object',
        properties: { sent: TEXT, expected: TEXT, received: TEXT, ok: { type: 'boolean' } },
      }),
    },
  },
  guarantee: { type: 'object', properties: { text: TEXT } },
  keys: listOf({ type: 'object', properties: key, required: Object.keys(key) }),
  starts_at: {
    type: 'object',
    additionalProperties: COUNT,
    description: 'Position of each stream after which it began.',
  },
  effective_after: {
    type: 'object',
    additionalProperties: COUNT,
    description: 'Positions after which the current types, filter and payload apply.',
  },
  minted: COUNT,
  generation: { ...COUNT, description: 'Rises with every change of settings.' },
  counts: { type: 'object', additionalProperties: COUNT },
  created_at: TIME,
  updated_at: TIME,
  created_by: TEXT,
  updated_by: TEXT,
  owner: {
    ...TEXT,
    description:
      'Who created it: an API key changes and deletes only its own. Or the pipeline that maintains it, such as ' +
      '`pipeline/wine`: it cannot be changed or deleted here.',
  },
};
const trouble = (description: string): oas31.SchemaObject => ({
  type: 'object',
  properties: { since: TIME, reason: TEXT },
  required: ['since', 'reason'],
  description,
});
const subscription = {
  type: 'object' as const,
  properties: {
    ...spec.properties,
    ...facts,
    headers: {
      type: 'object' as const,
      additionalProperties: TEXT,
      description: 'Each value is shown as `*****`; a PATCH may send that back while the origin of `url` is the same.',
    },
    reason: TEXT,
    failing: trouble('Set while the breaker of its endpoint, or of the host, is open, with the newest failure.'),
    fault: trouble(
      'Set while nothing is sent because of an unexpected error of the platform; the log of the worker has it.',
    ),
    allowed_rate: {
      type: 'object' as const,
      description: 'Granted by the receiver when it was asked with OPTIONS: no more is sent in a minute.',
      properties: { per_minute: COUNT },
      required: ['per_minute'],
    },
    backlog: {
      type: 'object' as const,
      properties: { since: TIME, pending: COUNT },
      required: ['since', 'pending'],
      description: 'Set while very many deliveries wait; at 1,000,000 fan-out pauses.',
    },
    filter_applies_to: {
      ...listOf(TEXT),
      description: 'Types that have the fields of the filter; the others are not filtered.',
    },
  },
  required: [...(spec.required ?? []), ...Object.keys(facts)],
};
const attempt: Members = { number: COUNT, started_at: TIME, deadline: TIME };
const delivery: Members = {
  sequence: TEXT,
  notice_id: TEXT,
  event_id: TEXT,
  type: TEXT,
  about: TEXT,
  minted_at: TIME,
  state: { type: 'string', enum: STATES },
};

export const SUBSCRIPTION_SCHEMAS: Record<string, oas31.SchemaObject> = {
  SubscriptionRequest: requestSchema(SubscriptionSpec, ['name', 'types']),
  Subscription: subscription,
  CreatedSubscription: {
    ...subscription,
    properties: { ...subscription.properties, secret: { ...TEXT, description: 'Shown this once.' } },
    required: [...subscription.required, 'secret'],
  },
  TestResult: {
    type: 'object',
    properties: {
      type: TEXT,
      notice_id: TEXT,
      request: {
        type: 'object',
        properties: { url: TEXT, headers: { type: 'object', additionalProperties: TEXT }, body: TEXT },
        required: ['url', 'headers', 'body'],
      },
      outcome: OUTCOME,
      status: COUNT,
      latency_ms: COUNT,
      answer: { ...TEXT, description: 'Its first 16,384 characters.' },
      error: TEXT,
    },
    required: ['type', 'notice_id', 'request', 'outcome'],
  },
  ExplainRequest: {
    oneOf: [
      {
        type: 'object',
        properties: {
          dataset: TEXT,
          entity_id: TEXT,
          version: { type: 'integer', minimum: 1, description: 'Of the entity; the newest unless given.' },
        },
        required: ['dataset', 'entity_id'],
        additionalProperties: false,
      },
      {
        type: 'object',
        properties: {
          stream: { ...TEXT, description: 'Name of a dataset, or pipeline, watch or ops.' },
          position: { type: 'integer', minimum: 1 },
        },
        required: ['stream', 'position'],
        additionalProperties: false,
      },
    ],
    example: { dataset: 'positions', entity_id: '9007199254740993' },
  },
  Explanation: {
    type: 'object',
    properties: {
      event_id: TEXT,
      type: TEXT,
      subject: TEXT,
      time: TIME,
      matches: { type: 'boolean', description: 'Every reason holds.' },
      reasons: listOf({
        type: 'object',
        properties: {
          holds: { type: 'boolean' },
          reason: TEXT,
          verdict: { type: 'object', description: 'The filter, condition by condition, with the values that it met.' },
        },
        required: ['holds', 'reason'],
      }),
    },
    required: ['event_id', 'type', 'subject', 'time', 'matches', 'reasons'],
  },
  Delivery: {
    type: 'object',
    properties: {
      ...delivery,
      by: TEXT,
      fault: {
        ...TEXT,
        description:
          'An unexpected error of the platform kept the event from being filtered or written: the delivery failed, and its event has a link (`dataref`).',
      },
      next: { type: 'string', enum: ['attempt', 'judge', 'tombstone', 'receipt'] },
      due_at: TIME,
      attempts: listOf({
        type: 'object',
        properties: {
          ...attempt,
          ended_at: TIME,
          outcome: OUTCOME,
          status: COUNT,
          latency_ms: COUNT,
          error: TEXT,
        },
        required: Object.keys(attempt),
      }),
      parked: { type: 'boolean', description: 'Its lane continues without it.' },
      timeline: listOf({
        type: 'object',
        properties: { at: TIME, what: TEXT, attempt: COUNT },
        required: ['at', 'what'],
      }),
      event: { type: 'object' },
    },
    required: [...Object.keys(delivery), 'attempts'],
  },
};
