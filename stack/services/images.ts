import { connectDocker } from '../../platform/engines/docker/connect.js';
import { acquire } from '../cache.js';
import { findForeignEngine } from '../foreign-engine.js';
import { ensureImageStore } from '../image-store.js';
import { buildImages, findImages, imageKey, imageSettings, toolchainImage } from '../images.js';
import { ensurePodman } from '../podman.js';
import type { Service, ServiceContext } from '../service.js';
import type { StepTools } from '../steps.js';

/** Base and toolchain image: in the engine that is there, else in a store that our own engine looks into. */
export const imagesService: Service = {
  name: 'images',
  replacedBy: 'SLIPWAY_TOOLCHAIN_IMAGE',
  needs: [],
  runs: 'once',
  async start(context, tools) {
    const key = await imageKey(context.environment);
    const foreign = await findForeignEngine(context.environment);
    if (!foreign) await ensurePodman(context, tools);
    const base = foreign
      ? await ensureImagesIn(foreign, key, context, tools)
      : (await ensureImageStore(key, context, tools)).base;
    Object.assign(context.found, imageSettings(key, base));
    return toolchainImage(key);
  },
};

async function ensureImagesIn(host: string, key: string, context: ServiceContext, tools: StepTools) {
  const docker = connectDocker(host);
  const present = await findImages(docker, key);
  if (present) return present;
  const release = await acquire(`${context.cacheDir}/images-${key}`, {
    signal: tools.signal,
    onWait: () => tools.say('waiting for another process that builds the images'),
  });
  try {
    return (await findImages(docker, key)) ?? (await buildImages(docker, key, context, tools));
  } finally {
    await release();
  }
}
