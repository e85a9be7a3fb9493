import { randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { z } from 'zod';
import { connectDocker } from '../platform/engines/docker/connect.js';
import { ensureBuilt } from './cache.js';
import { engineEnvironment, engineHost, placeEngine, writeEngineSettings } from './engine-settings.js';
import { buildImages } from './images.js';
import { removeTree } from './remove-tree.js';
import { ensureProcess, stopProcess } from './service-process.js';
import type { ServiceContext } from './service.js';
import type { StepTools } from './steps.js';

const Facts = z.object({
  /** A new random value at each build: layers of images built upon another store of this name do not fit this one. */
  id: z.string(),
  base: z.enum(['public', 'debian']),
});
export type ImageStore = z.infer<typeof Facts> & { folder: string };

/** Idle seconds after which the builder's engine ends by itself, should its starter be killed. */
const BUILDER_IDLE_SECONDS = 120;

/** A read-only store with base and toolchain image that the engines of all checkouts look into; made once. */
export async function ensureImageStore(key: string, context: ServiceContext, tools: StepTools): Promise<ImageStore> {
  const folder = join(context.cacheDir, `images-${key}`);
  await ensureBuilt(folder, (target) => buildStore(target, key, context, tools), {
    signal: tools.signal,
    onWait: () => tools.say('waiting for another process that builds the images'),
  });
  return readStore(folder);
}

export async function readStore(folder: string): Promise<ImageStore> {
  return { folder, ...Facts.parse(JSON.parse(await readFile(join(folder, FACTS), 'utf8'))) };
}

/** Where podman finds the images of a store. */
export function imagesOf(folder: string): string {
  return join(folder, 'storage');
}

const FACTS = 'store.json';

/** Asks the engine now and then: the root file system may take longer to make than an idle engine lives. */
async function whileAwake<T>(docker: Docker, work: () => Promise<T>): Promise<T> {
  const asking = setInterval(() => void docker.ping().catch(() => undefined), (BUILDER_IDLE_SECONDS * 1_000) / 4);
  try {
    return await work();
  } finally {
    clearInterval(asking);
  }
}

async function buildStore(target: string, key: string, context: ServiceContext, tools: StepTools): Promise<void> {
  const { stateDir } = context;
  const place = { folder: target, runFolder: placeEngine(target).runFolder };
  const inputs = await writeEngineSettings({ ...place, imageStores: [], plainRegistries: [] });
  const host = engineHost(place);
  const docker = connectDocker(host);
  const name = 'image-builder';
  try {
    await ensureProcess(
      {
        name,
        command: 'podman',
        args: ['system', 'service', '--time', String(BUILDER_IDLE_SECONDS), host],
        environment: engineEnvironment(place),
        inputs,
        ports: [],
        probe: async () => void (await docker.ping()),
      },
      { stateDir, signal: tools.signal },
    );
    const base = await whileAwake(docker, () => buildImages(docker, key, context, tools));
    await writeFile(join(target, FACTS), JSON.stringify({ id: randomUUID(), base }));
  } finally {
    await stopProcess(stateDir, name);
    await removeTree(place.runFolder);
  }
  // The images alone stay: podman's own records name the temporary folder.
  for (const rest of ['tmp', 'networks', 'containers.conf', 'storage.conf', 'registries.conf', 'storage/libpod']) {
    await rm(join(target, rest), { recursive: true, force: true });
  }
}
