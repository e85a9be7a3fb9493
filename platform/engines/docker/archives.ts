import type { IncomingMessage } from 'node:http';
import { posix } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import tar from 'tar-stream';
import { SlipwayError } from '../../kinds/errors.js';
import type { EngineDriver } from '../driver.js';
import { refused } from '../refusal.js';
import type { EngineContext } from './context.js';
import { inspectContainer } from './inspect.js';
import { call, toEngineError } from './errors.js';

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
      const volumes = await volumesOf(context, name);
      const volume = volumes.find((each) => target === each || target.startsWith(`${each}/`));
      // Outside its volumes a container is read-only: Docker refuses a write there, podman writes a file that stays invisible.
      if (volume === undefined)
        throw refused(`"${target}" is not in a volume of container "${name}"`, { reason: 'Internal' });
      // Docker answers 404 to a missing folder; podman says yes and gives it to root.
      const missing: string[] = [];
      let present = target;
      for (; present !== volume && !(await exists(name, present)); present = posix.dirname(present)) {
        missing.unshift(posix.basename(present));
      }
      if (missing.length > 0) await extract(name, present, await folders(missing));
      await extract(name, target, archive);
    },

    async getArchive({ name }, path) {
      const stream = await call(`read "${path}"`, () => container(name).getArchive({ path }), { fine: [404] });
      if (!stream) throw refused(`no "${path}" in container "${name}"`, { reason: 'ArtifactNotFound' });
      // dockerode hands over the response itself.
      return endingWhenIdle(stream as IncomingMessage, context.idleMs);
    },
  };
}

/** The limit of the call is that of its head: an engine that hangs in the middle of the body gives neither more nor an error. */
function endingWhenIdle(body: IncomingMessage, idleMs: number): Readable {
  return body.setTimeout(idleMs, () => {
    const late = Object.assign(new Error(`nothing more within ${idleMs} ms`), { code: 'ETIMEDOUT' });
    body.destroy(toEngineError(late, 'send an archive') as Error);
  });
}

async function volumesOf(context: EngineContext, name: string): Promise<string[]> {
  const info = await inspectContainer(context, name);
  if (!info) throw new SlipwayError('not_found', `container "${name}" is not found`);
  return info.Mounts.map(({ Destination }) => Destination);
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
