import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import type { ImageOrigin } from '../../../lifecycle/attestation/provenance.js';
import type { ImageContents } from '../../../lifecycle/attestation/sbom.js';
import type { Signer } from '../../../platform/attestation/envelope.js';

export const digestOf = (text: string): string => `sha256:${hexOf(text)}`;
export const hexOf = (text: string): string => createHash('sha256').update(text).digest('hex');

export function newSigner(): Signer {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return { publicKey, sign: async (bytes) => sign(null, bytes, privateKey) };
}

export const BUILDER = { id: 'https://ml.example', version: '0.2.0' };

export const ORIGIN: ImageOrigin = {
  ...{ packaging: 'wine-pack', integration: 'container-rest', arguments: { port: 5_000 } },
  model: { name: 'wine', version: '3' },
  artifact: { name: 'wine-3.zip', sha256: hexOf('artifact') },
  lock: { sha256: hexOf('lock') },
  base: { image: 'python:3.11', digest: digestOf('base') },
  training: {
    id: 'wine-train',
    commit: { connection: 'wine-code', commit: 'c'.repeat(40) },
    data: [{ localPath: 'data/wine.csv', connection: 'wine-data', sha256: hexOf('data') }],
  },
};

export const CONTENTS: Omit<ImageContents, 'image' | 'digest'> = {
  model: {
    ...{ name: 'wine', version: '3', artifactSha256: hexOf('artifact') },
    files: ['model/b.pkl', 'model/MLmodel'].map((path) => ({ path, sha256: hexOf(path) })),
  },
  base: ORIGIN.base,
  packages: {
    base: [{ name: 'pip', version: '24.0' }],
    environment: [
      { name: 'scikit-learn', version: '1.5.0' },
      { name: 'numpy', version: '2.0.0+cpu' },
    ],
    server: [{ name: 'granian', version: '2.8.7' }],
  },
};
