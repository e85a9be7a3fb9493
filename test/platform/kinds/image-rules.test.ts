import { expect, test } from 'vitest';
import { imageProblem, type ImageRules } from '../../../platform/kinds/image-rules.js';
import { parseNetwork } from '../../../platform/kinds/network-addresses.js';

const RULES: ImageRules = {
  own: '10.9.9.9:5000/slipway',
  images: ['slipway.local/ml-toolchain:latest', 'mirror.corp/python:3.6'],
  networks: [],
};
const DIGEST = `sha256:${'0'.repeat(64)}`;

test.each([
  'python:3.11',
  'library/python',
  `ghcr.io/acme/wine@${DIGEST}`,
  'ghcr.io/acme/wine:1.0_rc-2',
  'registry:5000/wine',
  '8.8.8.8:5000/wine',
  '10.9.9.9:5000/slipway/wine:1',
  'slipway.local/environment:abc',
  'mirror.corp/python:3.6',
  DIGEST,
])('%s may be pulled without a list', (image) => {
  expect(imageProblem(image, RULES)).toBeUndefined();
});

test.each([
  ['python 3', 'is no image reference'],
  ['Python', 'is no image reference'],
  ['a\nRUN x', 'is no image reference'],
  ['https://ghcr.io/a/b', 'is no image reference'],
  ['-v/a', 'is no image reference'],
  ['a:b:c', 'is no image reference'],
  ['a@sha256:0', 'is no image reference'],
  ['$(id)/x', 'is no image reference'],
  ['../x', 'is no image reference'],
  ['x'.repeat(1_000_000), `"${'x'.repeat(100)}..." is no image reference`],
  ['localhost:5000/wine', 'localhost resolves to 127.0.0.1, a loopback address'],
  ['10.9.9.9:5000/other/wine', '10.9.9.9 is a private address'],
  ['169.254.169.254/latest/meta-data', '169.254.169.254 is a metadata address'],
  ['[::1]:5000/wine', '::1 is a loopback address'],
  ['2130706433:5000/wine', '127.0.0.1 is a loopback address'],
  ['0x7f.1:5000/wine', '127.0.0.1 is a loopback address'],
])('%s may not', (image, problem) => {
  expect(imageProblem(image, RULES)).toContain(problem);
});

test('a list allows what it names, at any address, and nothing beside it', () => {
  const rules = { ...RULES, registries: ['10.1.1.1:5000', 'ghcr.io/acme'] };
  for (const image of ['10.1.1.1:5000/a', 'ghcr.io/acme/a/b:1', '10.9.9.9:5000/slipway/wine', 'mirror.corp/python:3.6'])
    expect(imageProblem(image, rules)).toBeUndefined();
  for (const image of ['python:3.11', 'ghcr.io/acme2/a', 'ghcr.io/other', '10.1.1.1:5001/a', 'mirror.corp/python:3.7'])
    expect(imageProblem(image, rules)).toBe(
      `image "${image}" is not allowed: SLIPWAY_IMAGE_REGISTRIES allows 10.9.9.9:5000/slipway, 10.1.1.1:5000, ghcr.io/acme`,
    );
});

test('open networks open registries in them', () => {
  const rules = { ...RULES, networks: [parseNetwork('127.0.0.0/8')].flatMap((network) => network ?? []) };
  expect(imageProblem('localhost:5000/wine', rules)).toBeUndefined();
  expect(imageProblem('10.1.1.1/wine', rules)).toContain('a private address');
});
