import { expect, test } from 'vitest';
import { type Subscription, SubscriptionSpec } from '../../../notifications/kinds/subscription.js';
import { guaranteeText } from '../../../notifications/delivery/guarantee.js';

function textOf(spec: object, level: Subscription['status']['level'] = 'L0', receipts = 'none'): string {
  const given = SubscriptionSpec.parse({ name: 'x', types: ['dataset.positions.*'], ...spec });
  return guaranteeText({ spec: given, status: { level, receipts } as Subscription['status'] });
}

test('each level promises what it can keep', () => {
  expect(textOf({})).toContain('you may get the same notice again');
  expect(textOf({})).toMatch(/For once only, receive with slipway\/receiver, or .*; then POST \.\.\.\/probe\./);
  expect(textOf({}, 'L1')).toContain('each notice takes effect once');
  expect(textOf({}, 'L1')).not.toContain('For once only');
  expect(textOf({}, 'L2')).toContain('we ask first');
  expect(textOf({}, 'L1', 'read')).toContain('repeat only what it does not know');
  expect(textOf({}, 'L2', 'tombstone')).not.toContain('repeat only');
  expect(textOf({ mode: 'pull' })).toContain('once by construction');
});

test('order, parking and holding are described only where they apply', () => {
  expect(textOf({})).toMatch(/about one entity are sent in order.*more than PT1H is parked/);
  expect(textOf({ ordering: { mode: 'strict', max_block: 'wait' } })).not.toContain('parked');
  expect(textOf({ ordering: { mode: 'none' } })).toContain('no particular order');
  expect(textOf({ on_ambiguous: 'hold' })).toContain('we do not send again');
  expect(textOf({})).not.toContain('we do not send again');
});
