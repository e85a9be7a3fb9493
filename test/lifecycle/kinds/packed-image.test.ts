import { expect, test } from 'vitest';
import { isPackedImage } from '../../../lifecycle/kinds/packed-image.js';

const packed = {
  results: [
    { name: 'image', value: 'registry.example/wine:1' },
    { name: 'imageDigest', value: 'sha256:aa' },
  ],
};

test.each([
  ['registry.example/wine:1', true],
  ['registry.example/wine:1@sha256:aa', true],
  ['registry.example/wine:1@sha256:bb', false],
  ['registry.example/wine:2', false],
  ['sha256:aa', false],
])('image %s is that of the packaging: %s', (image, is) => expect(isPackedImage(packed, image)).toBe(is));

test('a packaging that has not ended made no image', () => expect(isPackedImage({ results: [] }, '')).toBe(false));
