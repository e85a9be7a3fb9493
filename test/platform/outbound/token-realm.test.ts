import { expect, test } from 'vitest';
import { mayHaveCredentials } from '../../../platform/outbound/token-realm.js';

test.each([
  ['https://auth.docker.io/token', 'docker.io', true],
  ['https://ghcr.io/token', 'ghcr.io', true],
  ['https://gitlab.com/jwt/auth', 'registry.gitlab.com', true],
  ['https://auth.example.org/token', 'registry.example.org:5000', true],
  ['http://127.0.0.1:5001/token', '127.0.0.1:5000', true],
  ['http://auth.docker.io/token', 'docker.io', false],
  ['https://evil.example/token', 'registry.example.org', false],
  ['https://evil-docker.io/token', 'docker.io', false],
  ['https://docker.io.evil.example/token', 'docker.io', false],
  ['https://evil.co.uk/token', 'registry.co.uk', false],
  ['https://auth.example.co.uk/token', 'registry.example.co.uk', true],
  ['https://10.0.0.9/token', '10.0.0.8:5000', false],
  ['https://evil.example/token', '127.0.0.1:5000', false],
  ['http://127.0.0.1:5001/token', 'registry.example.org', false],
  ['', 'docker.io', false],
])('the realm %s of %s may have its credentials: %s', (realm, registry, expected) => {
  expect(mayHaveCredentials(realm, registry)).toBe(expected);
});
