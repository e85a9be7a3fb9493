import { integer, oneOf, text, time } from './data-fields.js';
import type { EventFamily } from './event-family.js';
import { EXAMPLE_TIME } from './example-row.js';
import { LEVELS, SUBSCRIPTION_STATES } from '../kinds/subscription.js';

/** Events of the stream `ops`: of the service itself. */
export const OPS_FAMILIES: readonly EventFamily[] = [
  {
    name: 'ops',
    fields: {
      stream: text(true),
      position: integer(true),
      after: integer(),
      entries: integer(),
      stalled_from: time(),
      moved_at: time(),
      seconds: integer(),
    },
    example: {
      source: '/v2/health',
      subject: 'stream/positions',
      data: { stream: 'positions', position: 902 },
    },
    types: {
      feed_stalled: {
        description: 'A stream could not be read for a while; it moves again.',
        data: { stalled_from: '2026-02-11T09:28:02.114Z', moved_at: EXAMPLE_TIME, seconds: 130 },
      },
      gap: {
        description:
          'Entries behind `after`, up to `position`, were removed before this subscription had read them: what they were is not told. Sent whatever types it names.',
        data: { after: 840, entries: 62 },
      },
    },
  },
  {
    name: 'ops.subscription',
    fields: {
      ...{ kind: text(true), id: text(true), version: integer(true), generation: integer(true), name: text(true) },
      state: oneOf(SUBSCRIPTION_STATES),
      level: oneOf(LEVELS),
      reason: text(),
      pending: integer(),
    },
    example: {
      source: '/v2/subscriptions/sub_7f3k',
      subject: 'subscription/sub_7f3k',
      data: {
        ...{ kind: 'Subscription', id: 'sub_7f3k', version: 9, generation: 1, name: 'hr-sync' },
        ...{ state: 'active', level: 'L1' },
      },
    },
    types: {
      failing: {
        description: 'So many attempts failed that the endpoint is left alone between single attempts.',
        data: { reason: 'status 503' },
      },
      recovered: { description: 'An endpoint that failed takes notices again.' },
      disabled: {
        description: 'Nothing more is sent until somebody resumes it; its notices are kept.',
        data: { state: 'disabled', reason: 'no attempt succeeded for five days' },
      },
      lowered: {
        description:
          'Its receiver does less than it had shown before; the guarantee is that of the level that is left.',
        data: { level: 'L0', reason: 'POST of ntc_7f3k_42_q9xw: webhook-receipt: new, a second time' },
      },
      backlog: {
        description: 'It has 80 % of as many notices to send as are kept for one subscription.',
        data: { pending: 800_000 },
      },
    },
  },
];
