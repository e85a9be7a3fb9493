import { expect, test } from 'vitest';
import { createHostCheck } from '../../../platform/kinds/allowed-hosts.js';

const isAllowed = createHostCheck(['https://Slipway.example/base', 'gateway.internal', '0.0.0.0', '::']);

test.each([
  'slipway.example',
  'SLIPWAY.example:8443',
  'gateway.internal:8080',
  'localhost:8080',
  '127.0.0.1:8080',
  '10.1.2.3',
  '[::1]:8080',
  undefined,
])('the host %s is accepted', (host) => {
  expect(isAllowed(host)).toBe(true);
});

test.each([
  'evil.example',
  'slipway.example.evil.example',
  'evil.example:8080',
  '127.0.0.1.evil.example',
  'localhost.evil.example',
  'slipway.example@evil.example',
  'a b',
  '',
])('the host "%s" is refused', (host) => {
  expect(isAllowed(host)).toBe(false);
});
