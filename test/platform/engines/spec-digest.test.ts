import { expect, test } from 'vitest';
import type { ContainerSpec } from '../../../platform/engines/driver.js';
import { specDigest } from '../../../platform/engines/spec-digest.js';

const SPEC: ContainerSpec = {
  name: 'slipway-training-iris-1',
  image: 'slipway.local/python:3.11',
  command: ['python3', 'train.py'],
  env: { A: '1', B: '2' },
  labels: { kind: 'training' },
  network: 'internet',
  limits: { cpus: 1, memoryBytes: 1_024 },
};

test('neither the order of keys nor what is left undefined changes the digest', () => {
  const { name, limits, ...rest } = SPEC;
  const other = { ...rest, limits: { memoryBytes: 1_024, cpus: 1 }, env: { B: '2', A: '1' }, name, user: undefined };
  expect(limits).toEqual(other.limits);
  expect(specDigest(other)).toBe(specDigest(SPEC));
  expect(specDigest(SPEC)).toMatch(/^[0-9a-f]{64}$/);
});

test.each<Partial<ContainerSpec>>([
  { command: ['train.py', 'python3'] },
  { env: { A: '2', B: '1' } },
  { limits: { cpus: 2, memoryBytes: 1_024 } },
  { volumes: ['/workspace'] },
  { labels: {} },
])('%j is another spec', (change) => {
  expect(specDigest({ ...SPEC, ...change })).not.toBe(specDigest(SPEC));
});
