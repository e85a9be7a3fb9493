import { expect, test } from 'vitest';
import type { ImageRules } from '../../../platform/kinds/image-rules.js';
import { guardImages } from '../../../platform/outbound/guarded-images.js';
import { createMemoryEngine } from '../../activities/shared/memory-engine.js';

const RULES: ImageRules = { own: '127.0.0.1:5000/slipway', images: [], networks: [] };
const ADDRESSES: Readonly<Record<string, string[]>> = {
  'ghcr.io': ['140.82.121.34'],
  'inner.example': ['93.184.216.34', '10.0.0.7'],
};

/** A guarded engine that has no image, and the images that it was asked to pull or push. */
function open(rules: Partial<ImageRules> = {}, present: readonly string[] = []) {
  const asked: string[] = [];
  const facts = { id: 'sha256:1', digests: [], labels: {}, env: [], sizeBytes: 1, layers: [], createdAt: '' };
  const { engine } = createMemoryEngine();
  const inner = {
    ...engine,
    inspectImage: async (ref: string) => (present.includes(ref) ? facts : undefined),
    ensureImage: async (ref: string) => (asked.push(ref), facts),
    push: async (ref: string) => (asked.push(ref), { digest: 'sha256:2' }),
  };
  const noted: string[] = [];
  const uses = {
    brought: async (image: string) => void noted.push(`brought ${image}`),
    used: async (image: string) => void noted.push(`used ${image}`),
  };
  const resolve = async (host: string) => ADDRESSES[host] ?? [];
  return { asked, engine: guardImages(inner, { ...RULES, ...rules }, { resolve, uses }), noted };
}

test('an image of a public address and one of the own registry are pulled and pushed', async () => {
  const { engine, asked } = open();
  await engine.ensureImage('ghcr.io/acme/wine:1');
  await engine.push('127.0.0.1:5000/slipway/wine:1', undefined, () => undefined);
  expect(asked).toEqual(['ghcr.io/acme/wine:1', '127.0.0.1:5000/slipway/wine:1']);
});

test('a name of which one address is private reaches no engine', async () => {
  const { engine, asked } = open();
  const message =
    'image "inner.example/a:1" is not allowed: inner.example resolves to 10.0.0.7, a private address; ' +
    'SLIPWAY_OUTBOUND_NETWORKS opens networks, SLIPWAY_IMAGE_REGISTRIES names registries';
  const failure = (reason: string) => ({
    code: 'run_failed',
    message,
    detail: expect.objectContaining({ reason }) as unknown,
  });
  await expect(engine.ensureImage('inner.example/a:1')).rejects.toMatchObject(failure('ImagePullFailed'));
  await expect(engine.push('inner.example/a:1', undefined, () => undefined)).rejects.toMatchObject(
    failure('PushFailed'),
  );
  expect(asked).toEqual([]);
});

test('a registry that the list names is trusted by its name; another one is refused even when the image is there', async () => {
  const { engine, asked } = open({ registries: ['inner.example'] }, ['ghcr.io/acme/wine:1']);
  await engine.ensureImage('inner.example/a:1');
  await expect(engine.ensureImage('ghcr.io/acme/wine:1')).rejects.toMatchObject({ code: 'run_failed' });
  expect(asked).toEqual(['inner.example/a:1']);
});

test('a name that has no address now is asked again later', async () => {
  const { engine } = open();
  await expect(engine.ensureImage('unknown.example/a')).rejects.toMatchObject({
    code: 'unavailable',
    publicMessage: 'the image registry cannot be used for now: its name cannot be resolved',
  });
});

test('an image that only the engine could have is asked of no registry', async () => {
  const { engine, asked } = open();
  await expect(engine.ensureImage('slipway.local/nothing:1')).rejects.toThrow('the container engine has no image');
  expect(asked).toEqual([]);
});

test('an image is noted before it is brought to the engine, and when it is used again; one that is refused is not', async () => {
  const { engine, noted } = open({}, ['ghcr.io/acme/there:1']);
  for (const image of ['ghcr.io/acme/wine:1', 'ghcr.io/acme/there:1']) await engine.ensureImage(image);
  await engine.tag('ghcr.io/acme/wine:1', '127.0.0.1:5000/slipway/bases:1');
  await expect(engine.ensureImage('inner.example/a:1')).rejects.toThrow('not allowed');
  expect(noted).toEqual([
    'brought ghcr.io/acme/wine:1',
    'used ghcr.io/acme/there:1',
    'brought 127.0.0.1:5000/slipway/bases:1',
  ]);
});
