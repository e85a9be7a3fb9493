import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { collections } from '../stores/collections.js';
import type { Database, Row } from '../stores/database.js';
import type { SecretBox } from '../stores/secrets.js';
import type { Signer } from './envelope.js';

const KEY = 'attestation-key';

interface KeyRow extends Row {
  /** PEM. */
  publicKey: string;
  /** The private half in PEM, sealed. */
  sealed: string;
}

interface Deps {
  database: Database;
  box: SecretBox;
}

/**
 * The Ed25519 key by which this installation signs statements of its images: made once, kept for as long as the database
 * lives. A key of its own, so that an image stays verifiable when the key of the secrets changes.
 */
export async function attestationSigner({ database, box }: Deps): Promise<Signer> {
  const { publicKey, sealed } = await keptKey({ database, box });
  return {
    publicKey: createPublicKey(publicKey),
    sign: async (bytes) => sign(null, bytes, createPrivateKey(box.open(sealed))),
  };
}

/** The public halves of the keys whose statements are this installation's own. */
export async function attestationKeys(deps: Deps): Promise<KeyObject[]> {
  return [createPublicKey((await keptKey(deps)).publicKey)];
}

async function keptKey({ database, box }: Deps): Promise<KeyRow> {
  const table = database.table<KeyRow>(collections.installation);
  const kept = await table.get(KEY);
  if (kept !== undefined) return kept;
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  const row = {
    _id: KEY,
    publicKey: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
    sealed: box.seal(pem),
  };
  await table.insert(row);
  // Another process may have been first.
  return (await table.get(KEY)) ?? row;
}
