import { z } from 'zod';
import { Envelope, keyHint, type Signer, signEnvelope } from './envelope.js';
import type { Statement } from './statement.js';

/** Media type of a bundle, and the artifact type of the manifest that carries it: cosign finds it by this. */
export const BUNDLE_TYPE = 'application/vnd.dev.sigstore.bundle.v0.3+json';

/** An envelope with what a verifier needs beside it (Sigstore bundle 0.3); here the name of the key. */
export const Bundle = z.looseObject({
  mediaType: z.string().startsWith('application/vnd.dev.sigstore.bundle'),
  dsseEnvelope: Envelope,
});

/** Signs a statement. The same statement and key give the same text. */
export async function signStatement(signer: Signer, statement: Statement): Promise<string> {
  return JSON.stringify({
    mediaType: BUNDLE_TYPE,
    verificationMaterial: { publicKey: { hint: keyHint(signer.publicKey) } },
    dsseEnvelope: await signEnvelope(signer, JSON.stringify(statement)),
  });
}
