import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type Base, openBase } from '../../../activities/shared/base.js';
import { type EnvironmentImage, makeEnvironmentImage } from '../../../activities/shared/environment-image.js';
import { openPlatformRepository } from '../../../activities/shared/platform-repository.js';
import type { Connection } from '../../../lifecycle/kinds/connection.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { connectDocker } from '../../../platform/engines/docker/connect.js';
import { createDockerEngine } from '../../../platform/engines/docker/engine.js';
import type { Image } from '../../../platform/registry/image.js';
import { createRegistries } from '../../../platform/registry/client.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { createLogs } from '../../../platform/stores/stored-logs.js';
import { contextOf } from '../../platform/engines/contract-images.js';
import { newConnection } from './resources.js';
import { registryAuthBy } from './registry-deps.js';

export const PYTHON = 'slipway.local/python:3.11';
const RUNTIME = join(import.meta.dirname, '..', '..', '..', 'runtime');

/** Environments on the engine and the registry of the test stack. */
export function createEnvironmentScene() {
  const engine = createDockerEngine({ docker: connectDocker(process.env.DOCKER_HOST ?? '') });
  const scene = randomUUID().slice(0, 8);
  const made: string[] = [];
  const { signal } = new AbortController();
  const uri = process.env.SLIPWAY_REGISTRY ?? '';
  const connections = createResources<Connection>({ database: createMemoryDatabase(), kind: 'Connection' });
  const deps = {
    ...{ engine, connections, registryAuth: registryAuthBy() },
    registries: createRegistries({ own: uri, images: [], networks: [] }),
  };
  const opened = connections.insert(newConnection('docker-ci', { type: 'container-registry', uri }));

  async function base(reference: string): Promise<Base> {
    await opened;
    return openBase(deps, { reference, signal, reason: 'ImagePullFailed', say: () => undefined });
  }

  /** An image of the registry, in the engine. @returns its name there */
  async function pull({ repository, manifest }: Image): Promise<string> {
    const name = `${repository.name}@${manifest.digest}`;
    await engine.ensureImage(name);
    made.push(name);
    return name;
  }

  return {
    ...{ engine, deps, base, pull, id: `env-${scene}` },
    /** Builds an image as a user would bring it. */
    async build(dockerfile: string, files: Record<string, string> = {}): Promise<Base> {
      const tag = `slipway.local/environment-test-${scene}:${made.length}`;
      made.push(tag);
      await engine.build(contextOf(dockerfile, files), { tag, network: 'none' }, () => undefined);
      return base(tag);
    },

    /** @returns the new image and the log of its installation */
    async make(base: Base, changes: Partial<EnvironmentImage> = {}, limitSeconds?: number) {
      await opened;
      const { repository } = await openPlatformRepository(deps, 'environments', { signal, reason: 'PushFailed' });
      const log = await createLogs({ objects: createMemoryObjects() }).writer('logs/');
      const image: EnvironmentImage = {
        kind: 'packaging',
        ref: { id: `env-${scene}`, uid: scene, generation: made.length },
        ...{ base, target: repository, tag: `test-${scene}-${made.length}`, lock: [] },
        settings: { env: { PATH: '/opt/env/bin:/usr/bin:/bin' }, user: '10001:0', workingDir: '/app' },
        reason: 'PackagerFailed',
        installer: {
          runner: join(RUNTIME, 'slipway_runner'),
          builderImage: process.env.SLIPWAY_BUILDER_IMAGE ?? '',
        },
        ...changes,
      };
      const watch = { log, signal, beat: () => undefined, pollMs: 100, limitSeconds };
      const result = await makeEnvironmentImage(engine, image, watch).catch((err: unknown) => err);
      return { result, log: await log.tail() };
    },
    server: join(RUNTIME, 'slipway_server'),
    async close(): Promise<void> {
      for (const name of made.toReversed()) await engine.removeImage(name).catch(() => undefined);
    },
  };
}

/** @throws the error that an attempt ended with */
export function requireImage(result: unknown): Image {
  if (result instanceof Error) throw result;
  return result as Image;
}
