import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, type JWK } from 'jose';

const FILE = 'signing-key.json';

/** The signing key, made at the first start and kept, so that tokens outlive a restart. */
export async function loadSigningKey(folder: string): Promise<JWK> {
  const file = join(folder, FILE);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text !== undefined) return JSON.parse(text) as JWK; // written below, by us alone
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: randomUUID(), alg: 'RS256', use: 'sig' };
  await writeFile(`${file}.new`, JSON.stringify(key), { mode: 0o600 });
  await rename(`${file}.new`, file);
  return key;
}
