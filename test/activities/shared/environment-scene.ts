import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type EnvironmentImage, makeEnvironmentImage } from '../../../activities/shared/environment-image.js';
import { connectDocker } from '../../../platform/engines/docker/connect.js';
import { createDockerEngine } from '../../../platform/engines/docker/engine.js';
import type { ImageFacts } from '../../../platform/engines/driver.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { createLogs } from '../../../platform/stores/stored-logs.js';
import { contextOf } from '../../platform/engines/contract-images.js';

export const PYTHON = 'slipway.local/python:3.11';
const RUNTIME = join(import.meta.dirname, '..', '..', '..', 'runtime');

/** Environments on the engine of the test stack. */
export function createEnvironmentScene() {
  const engine = createDockerEngine({ docker: connectDocker(process.env.DOCKER_HOST ?? '') });
  const scene = randomUUID().slice(0, 8);
  const tags: string[] = [];
  const ownTag = (): string => {
    const tag = `slipway.local/environment-test-${scene}:${tags.length}`;
    tags.push(tag);
    return tag;
  };

  return {
    engine,
    id: `env-${scene}`,
    /** Builds an image as a user would bring it. */
    base: (dockerfile: string, files: Record<string, string> = {}): Promise<ImageFacts> =>
      engine.build(contextOf(dockerfile, files), { tag: ownTag(), network: 'none' }, () => undefined),

    /** @returns the tag of the new image and the log of its installation */
    async make(base: ImageFacts, changes: Partial<EnvironmentImage> = {}, limitSeconds?: number) {
      const tag = ownTag();
      const log = await createLogs({ objects: createMemoryObjects() }).writer('logs/');
      const image: EnvironmentImage = {
        kind: 'packaging',
        ref: { id: `env-${scene}`, uid: scene, generation: tags.length },
        base: base.id,
        tag,
        lock: [],
        config: { env: { PATH: '/opt/env/bin:/usr/bin:/bin' }, user: '10001:0', workingDir: '/app' },
        reason: 'PackagerFailed',
        installer: {
          runner: join(RUNTIME, 'slipway_runner'),
          builderImage: process.env.SLIPWAY_BUILDER_IMAGE ?? '',
        },
        ...changes,
      };
      const watch = { log, signal: new AbortController().signal, beat: () => undefined, pollMs: 100, limitSeconds };
      const failure: unknown = await makeEnvironmentImage(engine, image, watch).then(
        () => undefined,
        (err: unknown) => err,
      );
      return { tag, failure, log: await log.tail() };
    },
    server: join(RUNTIME, 'slipway_server'),
    async close(): Promise<void> {
      for (const tag of tags.toReversed()) await engine.removeImage(tag).catch(() => undefined);
    },
  };
}
