import type { Subscription } from '../kinds/subscription.js';

const ALWAYS =
  'Each acknowledged change that matches makes one notice, with a fixed id, fixed bytes and the next sequence number. ' +
  'Nothing is dropped while the endpoint is off or the subscription is paused. An answer other than 2xx means to us that ' +
  'you did not process the notice.';

const LEVELS = {
  L0:
    'After a lost answer or a crash of ours you may get the same notice again: same webhook-id, same bytes. For once only, ' +
    'receive with slipway/receiver, or answer a repeat with webhook-receipt: duplicate; then POST .../probe.',
  L1: 'Your endpoint showed that it drops repeats. Keep ids for 35 days and each notice takes effect once.',
  L2:
    'Your endpoint also answers receipt questions and refuses withdrawn attempts. After an unclear attempt we ask first; ' +
    'a repeat can reach you only as one that you refuse.',
  L3: 'You read the feed and commit the cursor with your effect: once by construction. The feed is complete, in order and stable.',
} as const;

/** Describes the guarantee of a subscription, which follows from its settings and from the proven level of its endpoint. */
export function guaranteeText({ spec, status }: Pick<Subscription, 'spec' | 'status'>): string {
  const { mode, max_block } = spec.ordering;
  const orders = {
    none: 'Notices are sent in no particular order.',
    strict: 'Notices are sent in order, one at a time.',
    entity: 'Notices about one entity are sent in order.',
  };
  const parks = `One that blocks others for more than ${max_block} is parked: they go on without it.`;
  const reads =
    'After an unclear attempt we ask your receipt address once that attempt cannot arrive any more, and repeat only what ' +
    'it does not know.';
  const held =
    'After an unclear attempt that no receipt answer could clear, we do not send again; the notice waits for you.';
  return [
    ALWAYS,
    ...(spec.mode === 'push' ? [orders[mode]] : []),
    ...(spec.mode === 'push' && mode !== 'none' && max_block !== 'wait' ? [parks] : []),
    spec.mode === 'pull' ? LEVELS.L3 : LEVELS[status.level],
    ...(spec.mode === 'push' && status.receipts === 'read' ? [reads] : []),
    ...(spec.mode === 'push' && spec.on_ambiguous !== 'resend' ? [held] : []),
  ].join(' ');
}
