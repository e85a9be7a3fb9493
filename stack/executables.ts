import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** System folders that a plain user's PATH often lacks on Debian. */
const SYSTEM_FOLDERS = ['/usr/sbin', '/sbin', '/usr/local/go/bin'];

export async function findOnPath(name: string, path = ''): Promise<string | undefined> {
  for (const folder of [...path.split(delimiter).filter(Boolean), ...SYSTEM_FOLDERS]) {
    if (await isExecutable(join(folder, name))) return join(folder, name);
  }
  return undefined;
}

export async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
