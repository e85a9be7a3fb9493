import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The key that encrypts stored secrets: made once for an installation, readable by its owner alone. */
export async function loadSecretKey(stateDir: string): Promise<string> {
  const file = join(stateDir, 'secret-key');
  const kept = await readFile(file, 'utf8').catch(() => '');
  if (kept.trim()) return kept.trim();
  const key = randomBytes(32).toString('base64');
  await writeFile(`${file}.new`, `${key}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return key;
}
