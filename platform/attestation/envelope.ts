import { createHash, type KeyObject, verify } from 'node:crypto';
import { z } from 'zod';

/** Content type of an in-toto statement inside an envelope. */
export const STATEMENT_TYPE = 'application/vnd.in-toto+json';

/** A signed payload (DSSE 1.0, the form of in-toto attestations). Base64 texts. */
export const Envelope = z.object({
  payloadType: z.string(),
  payload: z.base64(),
  signatures: z.array(z.object({ sig: z.base64(), keyid: z.string().optional() })).min(1),
});
export type Envelope = z.infer<typeof Envelope>;

/** Signs for this installation; a service that keeps the private key elsewhere can stand behind it. */
export interface Signer {
  publicKey: KeyObject;
  sign(bytes: Buffer): Promise<Buffer>;
}

/** The bytes under a signature: DSSE's pre-authentication encoding, so that no payload passes for one of another type. */
export function signedBytes(payloadType: string, payload: Buffer): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}

/** @param payload JSON text, signed byte by byte */
export async function signEnvelope(signer: Signer, payload: string): Promise<Envelope> {
  const bytes = Buffer.from(payload);
  const sig = await signer.sign(signedBytes(STATEMENT_TYPE, bytes));
  // Without `keyid`, as cosign writes it: verifiers may compare it with names of their own.
  return {
    payloadType: STATEMENT_TYPE,
    payload: bytes.toString('base64'),
    signatures: [{ sig: sig.toString('base64') }],
  };
}

/** The key among `keys` that signed an envelope; `undefined` when none of them did. */
export function signingKeyOf({ payloadType, payload, signatures }: Envelope, keys: readonly KeyObject[]) {
  const bytes = signedBytes(payloadType, Buffer.from(payload, 'base64'));
  const isBy = (key: KeyObject) => signatures.some(({ sig }) => verify(null, bytes, key, Buffer.from(sig, 'base64')));
  return keys.find(isBy);
}

/** The name of a key in bundles, as cosign makes it: SHA-256 of its DER form, in Base64. */
export const keyHint = (key: KeyObject): string =>
  createHash('sha256')
    .update(key.export({ format: 'der', type: 'spki' }))
    .digest('base64');
