import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { isMissingFile, messageOf } from '../error-text.js';
import type { ConfigFile } from './config-schema.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** `--config`, else SLIPWAY_CONFIG, else slipway/config.json where the user keeps such files. */
export function configPath(option: string | undefined, env: Environment): string {
  const folder = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config');
  return option ?? (env.SLIPWAY_CONFIG || join(folder, 'slipway', 'config.json'));
}

/** @throws validation_failed when the file is there and cannot be read */
export async function readConfig(path: string): Promise<ConfigFile> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    if (isMissingFile(cause)) return { servers: {} };
    throw new SlipwayError('validation_failed', `${path} cannot be read: ${messageOf(cause)}`, { cause });
  }
  try {
    const { ConfigFile } = await import('./config-schema.js');
    return ConfigFile.parse(JSON.parse(text));
  } catch (cause) {
    throw new SlipwayError('validation_failed', `${path} is no configuration of slipway; remove it and log in again`, {
      cause,
    });
  }
}

/** Changes the file under a lock, as two commands may renew their tokens at once; it is whole at every moment. */
export async function changeConfig(path: string, change: (config: ConfigFile) => void): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const { lock } = await import('./file-lock.js');
  const release = await lock(path, {
    realpath: false,
    stale: 10_000,
    retries: { retries: 20, minTimeout: 20, maxTimeout: 200 },
  });
  try {
    const config = await readConfig(path);
    change(config);
    const next = `${path}.${randomUUID()}`;
    await writeFile(next, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
    await rename(next, path);
  } finally {
    await release();
  }
}

/** Returns whether other users of this machine can read the secrets; corrects the mode where it may. */
export async function closeToOthers(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || (found.mode & 0o077) === 0) return false;
  await chmod(path, 0o600).catch(() => undefined);
  return true;
}
