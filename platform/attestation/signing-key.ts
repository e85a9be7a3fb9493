import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { secretPlaces } from '../kinds/secret-places.js';
import { collections } from '../stores/collections.js';
import type { Database, Row } from '../stores/database.js';
import { createResealing, type ResealCounts } from '../stores/resealing.js';
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
    sign: async (bytes) => sign(null, bytes, createPrivateKey(box.open(sealed, secretPlaces.attestationKey()))),
  };
}

/** Seals the private half again with the present key of the secrets; nothing where there is none yet. */
export async function resealAttestationKey({ database, box }: Deps): Promise<ResealCounts> {
  const resealing = createResealing(box);
  const table = database.table<KeyRow>(collections.installation);
  const kept = await table.get(KEY);
  if (kept !== undefined) {
    const sealed = resealing.reseal(kept.sealed, secretPlaces.attestationKey());
    if (resealing.counts.resealed > 0) await table.put({ ...kept, sealed });
  }
  return resealing.counts;
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
    sealed: box.seal(pem, secretPlaces.attestationKey()),
  };
  await table.insert(row);
  // Another process may have been first.
  return (await table.get(KEY)) ?? row;
}
