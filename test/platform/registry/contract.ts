import { randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { RegistryAuth } from '../../../platform/engines/driver.js';
import { failureIn } from '../../../platform/kinds/reasons.js';
import { digestOfBytes } from '../../../platform/registry/manifests.js';
import { OCI } from '../../../platform/registry/media-types.js';
import { openRepository } from '../../../platform/registry/repository.js';
import type { BlobSource } from '../../../platform/registry/upload.js';

export const MIB = 2 ** 20;
const RUN = randomUUID().slice(0, 8);
export const nameOf = (host: string, name: string): string => `${host}/contract/${name}-${RUN}`;

function blobOf(bytes: Buffer): BlobSource & { bytes: Buffer } {
  return {
    digest: digestOfBytes(bytes),
    size: bytes.length,
    open: (start) => Readable.from([bytes.subarray(start)]),
    bytes,
  };
}
export const randomBlob = (size: number) => blobOf(randomBytes(size));

interface Subject {
  host: () => string;
  auth?: RegistryAuth;
}

/** Holds a registry and this client to what they do together, with credentials and without. */
export function registryContract({ host, auth }: Subject): void {
  const open = (name: string) => {
    const { signal } = new AbortController();
    return openRepository({ name: nameOf(host(), name), auth, signal, reason: 'PushFailed' });
  };
  const manifestOf = (config: BlobSource, layers: BlobSource[], more: object = {}) => {
    const describe = ({ digest, size }: BlobSource, mediaType: string) => ({ mediaType, digest, size });
    const value = {
      ...{ schemaVersion: 2, mediaType: OCI.manifest, config: describe(config, OCI.config) },
      ...{ layers: layers.map((layer) => describe(layer, OCI.layer)), ...more },
    };
    return { mediaType: OCI.manifest, bytes: Buffer.from(JSON.stringify(value)) };
  };

  test.each([0, 1, 5 * MIB, 40 * MIB])('a blob of %i bytes is uploaded and read', async (size) => {
    const repository = open('blobs');
    const blob = randomBlob(size);
    expect(await repository.hasBlob(blob.digest)).toBe(size === 0 && (await repository.hasBlob(blob.digest)));
    await repository.uploadBlob(blob);
    await repository.uploadBlob(blob);
    expect(await repository.hasBlob(blob.digest)).toBe(true);
    expect((await buffer(repository.readBlob(blob))).equals(blob.bytes)).toBe(true);
  });

  test('content that is not that of its digest is refused by both sides', async () => {
    const repository = open('wrong');
    const [blob, other] = [randomBlob(1_000), randomBlob(1_000)];
    const wrong = { ...blob, open: () => Readable.from([other.bytes]) };
    await expect(repository.uploadBlob(wrong)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await repository.hasBlob(blob.digest)).toBe(false);
    await repository.uploadBlob(blob);
    await expect(buffer(repository.readBlob({ digest: blob.digest, size: 999 }))).rejects.toThrow('other content');
  });

  test('a blob of another repository is mounted, and one that it lacks is not', async () => {
    const [from, to] = [open('from'), open('to')];
    const blob = randomBlob(1_000);
    await from.uploadBlob(blob);
    expect(await to.hasBlob(blob.digest)).toBe(false);
    expect(await to.mountBlob(blob.digest, from.path)).toBe(true);
    expect(await to.hasBlob(blob.digest)).toBe(true);
    expect(await to.mountBlob(randomBlob(1).digest, from.path)).toBe(false);
  });

  test('a manifest is written by its digest, then by a tag', async () => {
    const repository = open('manifests');
    const [config, layer] = [blobOf(Buffer.from('{}')), randomBlob(1_000)];
    for (const blob of [config, layer]) await repository.uploadBlob(blob);
    const manifest = manifestOf(config, [layer]);
    const { digest } = await repository.putManifest(manifest);
    expect(digest).toBe(digestOfBytes(manifest.bytes));
    expect(await repository.manifestDigest('1')).toBeUndefined();
    await repository.putManifest(manifest, '1');
    expect(await repository.manifestDigest('1')).toBe(digest);
    for (const reference of ['1', digest])
      expect(await repository.manifest(reference)).toEqual({ ...manifest, digest });
    expect(await repository.manifest(randomBlob(1).digest)).toBeUndefined();
  });

  test('a manifest whose blobs are missing is refused for good, in the words of the registry', async () => {
    const manifest = manifestOf(randomBlob(2), [randomBlob(3)]);
    const refusal: unknown = await open('missing')
      .putManifest(manifest, '1')
      .catch((err: unknown) => err);
    expect(failureIn(refusal)).toMatchObject({ reason: 'PushFailed', message: expect.stringMatching(/unknown/i) });
  });

  test('referrers of a manifest are listed by type', async () => {
    const repository = open('referrers');
    const config = blobOf(Buffer.from('{}'));
    await repository.uploadBlob(config);
    const image = manifestOf(config, []);
    const { digest } = await repository.putManifest(image, 'image');
    expect(await repository.referrers(digest)).toEqual([]);
    const subject = { mediaType: image.mediaType, digest, size: image.bytes.length };
    const attach = (type: string, number: number) =>
      repository.putReferrer(manifestOf(config, [], { artifactType: type, subject, annotations: { n: `${number}` } }));
    const first = await attach('application/x-list', 1);
    expect(await attach('application/x-list', 1)).toBe(first);
    await attach('application/x-list', 2);
    const signed = await attach('application/x-signed', 3);
    expect(await repository.referrers(digest)).toHaveLength(3);
    expect(await repository.referrers(digest, 'application/x-signed')).toMatchObject([
      { digest: signed, artifactType: 'application/x-signed', annotations: { n: '3' } },
    ]);
  });
}
