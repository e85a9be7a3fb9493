import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { placeEngine } from './engine-settings.js';
import { podman } from './podman.js';
import { identify } from './process-identity.js';

const KILLED = '137';

/**
 * Tells podman of containers whose process and monitor are both gone. After a kill of everything it calls them `running`
 * for ever, and cannot remove them: only a monitor tells of an end, by a file. They would count as replicas and jobs that
 * go on.
 */
export async function endDeadContainers(stateDir: string): Promise<void> {
  const ids = await podman(stateDir, 'ps', '--quiet', '--no-trunc');
  if (ids.length === 0) return;
  const format = '{{.Id}} {{.State.Pid}} {{.State.ConmonPid}}';
  for (const line of await podman(stateDir, 'inspect', '--type', 'container', '--format', format, ...ids)) {
    const [id = '', ...pids] = line.split(' ');
    const alive = await Promise.all(pids.map((pid) => identify(Number(pid))));
    if (alive.some((each) => each !== undefined)) continue;
    const file = join(placeEngine(stateDir).runFolder, 'tmp', 'exits', id);
    await writeFile(file, KILLED, { flag: 'wx' }).catch(unlessThere);
  }
}

function unlessThere(err: NodeJS.ErrnoException): void {
  if (err.code !== 'EEXIST') throw err;
}
