import { posix } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import tar from 'tar-stream';
import { SlipwayError } from '../../kinds/errors.js';
import type { EngineDriver } from '../driver.js';
import { refused } from '../refusal.js';
import type { EngineContext } from './context.js';
import { inspectContainer } from './inspect.js';
import { call } from './errors.js';

const UID = 10_001;

/** Files into and out of a container, running or not. */
export function createArchives(context: EngineContext): Pick<EngineDriver, 'putArchive' | 'getArchive'> {
  const container = (name: string) => context.docker.getContainer(name);

  async function exists(name: string, path: string): Promise<boolean> {
    const look = () => container(name).infoArchive({ path }) as Promise<Readable>;
    const answer = await call(`look at "${path}"`, look, { fine: [404] });
    // An unread answer keeps its connection, and with it the process, open.
    answer?.resume();
    return answer !== undefined;
  }

  async function extract(name: string, path: string, archive: Readable | Buffer): Promise<void> {
    await call(`put files into "${path}"`, () => container(name).putArchive(archive, { path }));
  }

  return {
    async putArchive({ name }, path, archive) {
      const target = posix.normalize(path).replace(/(.)\/$/, '$1');
      await requireVolume(context, name, target);
      // Docker answers 404 to a missing folder; podman says yes and gives it to root.
      const missing: string[] = [];
      let present = target;
      for (; present !== '/' && !(await exists(name, present)); present = posix.dirname(present)) {
        missing.unshift(posix.basename(present));
      }
      if (missing.length > 0) await extract(name, present, await folders(missing));
      await extract(name, target, archive);
    },

    async getArchive({ name }, path) {
      const stream = await call(`read "${path}"`, () => container(name).getArchive({ path }), { fine: [404] });
      if (!stream) throw refused(`no "${path}" in container "${name}"`, { reason: 'ArtifactNotFound' });
      // dockerode hands over the response itself.
      return stream as Readable;
    },
  };
}

/** Outside its volumes a container is read-only: Docker refuses a write there, podman writes a file that stays invisible. */
async function requireVolume(context: EngineContext, name: string, path: string): Promise<void> {
  const info = await inspectContainer(context, name);
  if (!info) throw new SlipwayError('not_found', `container "${name}" is not found`);
  const within = info.Mounts.some(({ Destination }) => path === Destination || path.startsWith(`${Destination}/`));
  if (!within) throw refused(`"${path}" is not in a volume of container "${name}"`, { reason: 'Internal' });
}

/** A tar of nested folders that the user of the container owns. */
async function folders(names: readonly string[]): Promise<Buffer> {
  const pack = tar.pack();
  names.forEach((_, index) => {
    const name = `${names.slice(0, index + 1).join('/')}/`;
    pack.entry({ name, type: 'directory', mode: 0o755, uid: UID, gid: 0, mtime: new Date(0) });
  });
  pack.finalize();
  return buffer(pack);
}
