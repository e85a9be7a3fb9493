import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { signEnvelope, signingKeyOf } from '../../../platform/attestation/envelope.js';
import { attestationKeys, attestationSigner } from '../../../platform/attestation/signing-key.js';
import { collections } from '../../../platform/stores/collections.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createSecretBox } from '../../../platform/stores/secrets.js';

const newBox = (oldKeys: string[] = [], key = randomBytes(32).toString('base64')) => createSecretBox({ key, oldKeys });

test('all processes of an installation sign with one key, also those that start at once', async () => {
  const deps = { database: createMemoryDatabase(), box: newBox() };
  const signers = await Promise.all([1, 2, 3].map(() => attestationSigner(deps)));
  const keys = await attestationKeys(deps);
  for (const signer of signers) expect(signingKeyOf(await signEnvelope(signer, '{}'), keys)).toBe(keys[0]);
});

test('another installation has another key', async () => {
  const box = newBox();
  const signer = await attestationSigner({ database: createMemoryDatabase(), box });
  const others = await attestationKeys({ database: createMemoryDatabase(), box });
  expect(signingKeyOf(await signEnvelope(signer, '{}'), others)).toBeUndefined();
});

test('the private half is stored sealed, and signs on after a change of the key that seals', async () => {
  const database = createMemoryDatabase();
  const first = randomBytes(32).toString('base64');
  const signer = await attestationSigner({ database, box: newBox([], first) });
  expect(JSON.stringify(await database.table(collections.installation).get('attestation-key'))).not.toContain(
    'PRIVATE',
  );
  const again = await attestationSigner({ database, box: newBox([first]) });
  expect(await signEnvelope(again, '{}')).toEqual(await signEnvelope(signer, '{}'));
});

test('without the key that sealed it nothing is signed, and images stay verifiable', async () => {
  const database = createMemoryDatabase();
  const signer = await attestationSigner({ database, box: newBox() });
  const envelope = await signEnvelope(signer, '{}');
  const deps = { database, box: newBox() };
  expect(signingKeyOf(envelope, await attestationKeys(deps))).toBeDefined();
  await expect((await attestationSigner(deps)).sign(Buffer.from(''))).rejects.toThrow('SLIPWAY_OLD_SECRET_KEYS');
});
