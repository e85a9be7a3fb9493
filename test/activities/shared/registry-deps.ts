import { onTestFinished } from 'vitest';
import type { RegistryDeps } from '../../../activities/shared/platform-repository.js';
import type { Connection } from '../../../lifecycle/kinds/connection.js';
import { createRegistryAuth } from '../../../lifecycle/stores/registry-auth.js';
import { createResources } from '../../../notifications/stores/resources.js';
import type { OpenSecret } from '../../../platform/kinds/secret-places.js';
import { createRegistries } from '../../../platform/registry/client.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { startMemoryRegistry } from '../../platform/registry/memory-registry.js';
import { newConnection } from './resources.js';

/** For activities that reach no registry. */
export const NO_REGISTRIES = createRegistries({ own: 'registry.example', images: [], networks: [] });

/** Credentials of connections, whose secrets are opened so; no cloud gives a token. */
export const registryAuthBy = (openSecret: OpenSecret = (sealed) => sealed) =>
  createRegistryAuth({ openSecret, ambientRegistries: [] });

/** A registry in this process that is the platform's own: the connection `docker-ci` leads to it. */
export async function openRegistryDeps() {
  const registry = await startMemoryRegistry();
  onTestFinished(() => registry.stop());
  const connections = createResources<Connection>({ database: createMemoryDatabase(), kind: 'Connection' });
  const uri = `${registry.host}/slipway`;
  await connections.insert(newConnection('docker-ci', { type: 'container-registry', uri }));
  const deps: RegistryDeps = {
    registries: registry.registries,
    connections,
    registryAuth: registryAuthBy((sealed) => `open ${sealed}`),
  };
  /** The registry takes what an engine pushes. */
  const onPush = async (ref: string): Promise<void> => {
    const [, path = '', tag = ''] = /^[^/]+\/(.+):([^:]+)$/.exec(ref) ?? [];
    await registry.addImage(path, tag, {}, `pushed ${tag}`);
  };
  return { registry, connections, deps, onPush };
}
