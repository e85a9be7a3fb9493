import { expect, test } from 'vitest';
import { imageProvenance } from '../../../lifecycle/attestation/provenance.js';
import { imageSbom } from '../../../lifecycle/attestation/sbom.js';
import { verifyImage } from '../../../lifecycle/attestation/verification.js';
import { signStatement } from '../../../platform/attestation/bundle.js';
import type { Signer } from '../../../platform/attestation/envelope.js';
import { imageStatement, PREDICATES } from '../../../platform/attestation/statement.js';
import { BUILDER, CONTENTS, digestOf, hexOf, newSigner, ORIGIN } from './signed-image.js';

const IMAGE = { name: 'registry.example/models/wine', digest: digestOf('wine') };

const provenanceOf = (image = IMAGE, origin = ORIGIN) =>
  imageStatement(image, PREDICATES.provenance, imageProvenance(origin, BUILDER));
const sbomOf = (image = IMAGE) =>
  imageStatement(image, PREDICATES.sbom, imageSbom({ image: image.name, digest: image.digest, ...CONTENTS }));

async function bundles(signer: Signer, statements = [provenanceOf(), sbomOf()]): Promise<string[]> {
  return Promise.all(statements.map((statement) => signStatement(signer, statement)));
}

test('a signed image says where it is from', async () => {
  const signer = newSigner();
  expect(verifyImage(IMAGE.digest, await bundles(signer), [signer.publicKey])).toEqual({
    ...{ verified: true, key: expect.any(String), builder: BUILDER.id, packages: 4 },
    ...{ packaging: 'wine-pack', training: 'wine-train', model: { name: 'wine', version: '3' } },
    ...{ commit: 'c'.repeat(40), data: [{ name: 'data/wine.csv', sha256: hexOf('data') }] },
    ...{ artifact: 'wine-3.zip', base: { image: 'python:3.11', digest: digestOf('base') } },
  });
});

test('an artifact that no training made has no commit and no data', async () => {
  const signer = newSigner();
  const { training: _, ...origin } = ORIGIN;
  const found = verifyImage(IMAGE.digest, await bundles(signer, [provenanceOf(IMAGE, origin)]), [signer.publicKey]);
  expect(found).toMatchObject({ verified: true, data: [] });
  expect(found).not.toHaveProperty('commit');
  expect(found).not.toHaveProperty('packages');
});

test('the same inputs give the same bundle', async () => {
  const signer = newSigner();
  expect(await bundles(signer)).toEqual(await bundles(signer));
});

test.each<[string, string, (signer: Signer) => Promise<string[]>]>([
  ['no statements', 'it has no signed statement of its origin', async () => []],
  [
    'other things',
    'it has no signed statement of its origin',
    async () => ['', '[]', '{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json"}'],
  ],
  [
    "another installation's statements",
    'its statements are not signed with a key of this installation',
    async () => bundles(newSigner()),
  ],
  [
    'statements of another image',
    'its statements are about another image',
    (signer) => bundles(signer, [provenanceOf({ ...IMAGE, digest: digestOf('other') })]),
  ],
  ['a bill of materials alone', 'its statements say nothing of its origin', (signer) => bundles(signer, [sbomOf()])],
  [
    'provenance of another kind of build',
    'its statements say nothing of its origin',
    (signer) => bundles(signer, [imageStatement(IMAGE, PREDICATES.provenance, { buildDefinition: {} })]),
  ],
])('an image with %s is not verified', async (_, why, bundlesOf) => {
  const signer = newSigner();
  expect(verifyImage(IMAGE.digest, await bundlesOf(signer), [signer.publicKey])).toEqual({ verified: false, why });
});

test('statements that another party added change nothing', async () => {
  const [signer, other] = [newSigner(), newSigner()];
  const forged = provenanceOf(IMAGE, { ...ORIGIN, packaging: 'forged' });
  const all = [...(await bundles(other, [forged, sbomOf()])), ...(await bundles(signer))];
  expect(verifyImage(IMAGE.digest, all, [signer.publicKey])).toMatchObject({ packaging: 'wine-pack', packages: 4 });
});
