import { generateKeyPairSync, sign } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  type Envelope,
  signedBytes,
  signEnvelope,
  type Signer,
  signingKeyOf,
} from '../../../platform/attestation/envelope.js';

function newSigner(): Signer {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return { publicKey, sign: async (bytes) => sign(null, bytes, privateKey) };
}

test('the signed bytes are those of the protocol', () => {
  // The example of the DSSE protocol, version 1.0.
  expect(signedBytes('http://example.com/HelloWorld', Buffer.from('hello world')).toString()).toBe(
    'DSSEv1 29 http://example.com/HelloWorld 11 hello world',
  );
});

test('lengths count bytes, not characters', () => {
  expect(signedBytes('é', Buffer.from('ü')).toString()).toBe('DSSEv1 2 é 2 ü');
});

test('an envelope is by the key that signed it, among several', async () => {
  const [one, other] = [newSigner(), newSigner()];
  const envelope = await signEnvelope(one, '{"a":1}');
  expect(signingKeyOf(envelope, [other.publicKey, one.publicKey])).toBe(one.publicKey);
  expect(signingKeyOf(envelope, [other.publicKey])).toBeUndefined();
  expect(signingKeyOf(envelope, [])).toBeUndefined();
  expect(await signEnvelope(one, '{"a":1}')).toEqual(envelope);
});

test.each<[string, (envelope: Envelope) => Envelope]>([
  ['payload', (envelope) => ({ ...envelope, payload: Buffer.from('{"a":2}').toString('base64') })],
  ['type', (envelope) => ({ ...envelope, payloadType: 'text/plain' })],
  ['signature', (envelope) => ({ ...envelope, signatures: [{ sig: Buffer.alloc(64).toString('base64') }] })],
  ['length of the signature', (envelope) => ({ ...envelope, signatures: [{ sig: '' }] })],
])('another %s is found out', async (_, change) => {
  const signer = newSigner();
  const envelope = await signEnvelope(signer, '{"a":1}');
  expect(signingKeyOf(change(envelope), [signer.publicKey])).toBeUndefined();
});

test('one valid signature among others is enough', async () => {
  const signer = newSigner();
  const { signatures, ...rest } = await signEnvelope(signer, '{}');
  const more = [{ sig: Buffer.alloc(64).toString('base64') }, ...signatures];
  expect(signingKeyOf({ ...rest, signatures: more }, [signer.publicKey])).toBe(signer.publicKey);
});
