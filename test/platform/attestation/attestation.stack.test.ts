import { afterAll, beforeAll, expect, test } from 'vitest';
import { attestImage } from '../../../lifecycle/attestation/attest-image.js';
import { imageProvenance } from '../../../lifecycle/attestation/provenance.js';
import { verifyImage } from '../../../lifecycle/attestation/verification.js';
import { attachBundle } from '../../../platform/attestation/attach.js';
import { BUNDLE_TYPE, signStatement } from '../../../platform/attestation/bundle.js';
import { readBundles } from '../../../platform/attestation/read.js';
import { imageStatement, PREDICATES } from '../../../platform/attestation/statement.js';
import { OCI, type StoredManifest } from '../../../platform/registry/media-types.js';
import { openRepository, type Repository } from '../../../platform/registry/repository.js';
import { BUILDER, CONTENTS, newSigner, ORIGIN } from '../../lifecycle/attestation/signed-image.js';
import { randomBlob } from '../registry/contract.js';
import { type RegistryProcess, startRegistry } from '../registry/registry-process.js';

let registry: RegistryProcess;
beforeAll(async () => {
  registry = await startRegistry();
});
afterAll(() => registry.stop());

const signer = newSigner();
const { signal } = new AbortController();
const open = (name: string): Repository =>
  openRepository({ name: `${registry.host}/${name}`, signal, reason: 'PushFailed', pausesMs: [10] });

/** An image of one layer of random bytes. */
async function pushImage(repository: Repository, tag: string): Promise<StoredManifest> {
  const [config, layer] = [randomBlob(100), randomBlob(1_000)];
  for (const blob of [config, layer]) await repository.uploadBlob(blob);
  const describe = ({ digest, size }: typeof config, mediaType: string) => ({ mediaType, digest, size });
  const manifest = {
    ...{ schemaVersion: 2, mediaType: OCI.manifest, config: describe(config, OCI.config) },
    layers: [describe(layer, OCI.layer)],
  };
  await repository.putManifest({ mediaType: OCI.manifest, bytes: Buffer.from(JSON.stringify(manifest)) }, tag);
  const stored = await repository.manifest(tag);
  if (stored === undefined) throw new Error('the image is not there');
  return stored;
}

const attest = (repository: Repository, manifest: StoredManifest) =>
  attestImage({ repository, manifest, origin: ORIGIN, contents: CONTENTS }, { signer, builder: BUILDER });

const verify = async (repository: Repository, digest: string) =>
  verifyImage(digest, await readBundles(repository, digest), [signer.publicKey]);

test('statements are attached to an image and verified, a repeat changes nothing', async () => {
  const repository = open('models/wine');
  const image = await pushImage(repository, '1');
  expect(await verify(repository, image.digest)).toEqual({
    verified: false,
    why: 'it has no signed statement of its origin',
  });
  await attest(repository, image);
  const listed = await repository.referrers(image.digest);
  expect(listed).toMatchObject([1, 2].map(() => ({ artifactType: BUNDLE_TYPE, mediaType: OCI.manifest })));
  await attest(repository, image);
  expect(await repository.referrers(image.digest)).toEqual(listed);
  expect(await verify(repository, image.digest)).toMatchObject({
    ...{ verified: true, packaging: 'wine-pack', commit: 'c'.repeat(40), packages: 4 },
  });
});

test('the statements of one image say nothing of another in the repository', async () => {
  const repository = open('models/two');
  const [signed, other] = [await pushImage(repository, '1'), await pushImage(repository, '2')];
  await attest(repository, signed);
  expect(await verify(repository, other.digest)).toMatchObject({ verified: false });
});

test('statements that were copied to another image are found out', async () => {
  const repository = open('models/copied');
  const [signed, other] = [await pushImage(repository, '1'), await pushImage(repository, '2')];
  const image = { name: repository.name, digest: signed.digest };
  const predicateType = PREDICATES.provenance;
  const statement = imageStatement(image, predicateType, imageProvenance(ORIGIN, BUILDER));
  await attachBundle(repository, { subject: other, bundle: await signStatement(signer, statement), predicateType });
  expect(await verify(repository, other.digest)).toEqual({
    verified: false,
    why: 'its statements are about another image',
  });
});
