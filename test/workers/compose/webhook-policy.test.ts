import { expect, test } from 'vitest';
import { parseSettings } from '../../../config.js';
import { refusedKind } from '../../../platform/kinds/network-addresses.js';
import { webhookPolicy } from '../../../workers/compose/webhook-policy.js';

function policyOf(environment: Record<string, string>) {
  const lines: string[] = [];
  const policy = webhookPolicy(parseSettings(environment), { warn: (line: string) => void lines.push(line) });
  return { lines, policy };
}

test('by default no private range is open, and nothing is logged', () => {
  const { lines, policy } = policyOf({});
  expect(policy).toEqual({ networks: [], http: false, ports: [443, 8443] });
  expect(lines).toEqual([]);
});

test('opened ranges are logged at the start', () => {
  const { lines, policy } = policyOf({
    ...{ SLIPWAY_WEBHOOK_NETWORKS: '10.1.0.0/16, fd00::/8', SLIPWAY_WEBHOOK_PORTS: '443,9000' },
    SLIPWAY_WEBHOOK_HTTP: 'true',
  });
  expect(lines).toEqual(['webhooks may also go to 10.1.0.0/16, fd00::/8']);
  expect(policy).toMatchObject({ http: true, ports: [443, 9_000] });
  expect(['10.1.2.3', 'fd00::1', '10.2.0.1'].map((address) => refusedKind(address, policy.networks))).toEqual([
    undefined,
    undefined,
    'a private',
  ]);
});

test('development opens everything', () => {
  const { lines, policy } = policyOf({ SLIPWAY_WEBHOOK_PRIVATE: 'true' });
  expect(lines).toEqual(['webhooks may also go to 0.0.0.0/0, ::/0']);
  expect(policy).toMatchObject({ http: true, ports: 'any' });
  expect(['127.0.0.1', '::1', '::ffff:10.0.0.1'].map((a) => refusedKind(a, policy.networks))).toEqual(
    Array.from({ length: 3 }, () => undefined),
  );
});

test.each([
  ['SLIPWAY_WEBHOOK_NETWORKS', 'everything'],
  ['SLIPWAY_WEBHOOK_NETWORKS', '10.0.0.0/40'],
  ['SLIPWAY_WEBHOOK_PORTS', '443,x'],
  ['SLIPWAY_WEBHOOK_PORTS', '0'],
])('%s=%s stops the start', (name, value) => {
  expect(() => policyOf({ [name]: value })).toThrow(`${name}`);
});
