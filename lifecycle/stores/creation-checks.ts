import { setTimeout as sleep } from 'node:timers/promises';
import { parseImageReference, referenceIn } from '../../platform/engines/image-reference.js';
import { isLocalImage } from '../../platform/kinds/image-rules.js';
import type { Registries } from '../../platform/registry/client.js';
import type { Repository } from '../../platform/registry/repository.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { findRegistryConnection } from '../attestation/image-verifier.js';
import type { Connection } from '../kinds/connection.js';
import type { PackagingSpec } from '../kinds/packaging.js';
import type { RegistryAuthOf } from './registry-auth.js';

export interface CreationChecksDeps {
  connections: Pick<ResourceStore<Connection>, 'get' | 'list'>;
  openStore: (connection: Connection) => Pick<ObjectStore, 'head'>;
  registries: {
    open(image: string, access: Parameters<Registries['open']>[1]): Pick<Repository, 'manifestDigest'>;
  };
  registryAuth: RegistryAuthOf;
  /** Images that are pulled under other names. */
  mirrored?: readonly string[];
  /** Clients wait ten seconds for an answer. */
  limitMs?: number;
}

/** Whether what a new resource names is there; `undefined` when that cannot be found out in time: its run will tell. */
export interface CreationChecks {
  hasArtifact: (spec: Pick<PackagingSpec, 'artifactName' | 'outputConnection'>) => Promise<boolean | undefined>;
  hasImage: (image: string) => Promise<boolean | undefined>;
}

export function createCreationChecks(deps: CreationChecksDeps): CreationChecks {
  const { connections, openStore, registries, registryAuth, mirrored = [], limitMs = 3_000 } = deps;

  async function inTime(find: (signal: AbortSignal) => Promise<boolean | undefined>): Promise<boolean | undefined> {
    const ended = new AbortController();
    const late = sleep(limitMs, undefined, { signal: ended.signal }).catch(() => undefined);
    const found = find(ended.signal).catch(() => undefined); // a service that is away is no fault of the caller
    return Promise.race([found, late]).finally(() => ended.abort());
  }

  return {
    hasArtifact: ({ artifactName, outputConnection }) =>
      inTime(async () => {
        const connection = await connections.get(outputConnection);
        return connection && (await openStore(connection).head(artifactName)) !== undefined;
      }),
    hasImage: (image) =>
      inTime(async (signal) => {
        if (isLocalImage(image) || mirrored.includes(image)) return undefined;
        const connection = await findRegistryConnection(connections, image);
        if (connection === undefined) return undefined; // the platform asks no other host
        const reason = 'ImagePullFailed';
        const access = { auth: await registryAuth(image, connection, { reason }), signal, reason } as const;
        const reference = parseImageReference(image).digest ?? referenceIn(image);
        return (await registries.open(image, access).manifestDigest(reference)) !== undefined;
      }),
  };
}
