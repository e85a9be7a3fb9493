import { sameName } from '../../lifecycle/kinds/aliases.js';
import type { Connection } from '../../lifecycle/kinds/connection.js';
import type { Packaging } from '../../lifecycle/kinds/packaging.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import type { ResourceStore } from '../../platform/stores/resources.js';

interface ConnectionsDeps {
  connections: ResourceStore<Connection>;
  openStore: (connection: Connection) => Promise<ObjectStore>;
}

export type PackagingConnections = ReturnType<typeof createPackagingConnections>;

/** The connections that a packaging names. @throws run_failed, PackagerFailed for one that does not exist */
export function createPackagingConnections({ connections, openStore }: ConnectionsDeps) {
  const requireConnection = async (id: string): Promise<Connection> => {
    const connection = await connections.get(id);
    if (connection) return connection;
    const message = `connection "${id}" was deleted after the packaging started: create it again and rerun the packaging`;
    throw runFailed({ reason: 'PackagerFailed', message });
  };
  return {
    /** @returns undefined when the packaging has no target of that name */
    async target({ spec }: Packaging, name: string): Promise<Connection | undefined> {
      const found = spec.targets.find((each) => sameName('packagerTarget', each.name, name));
      return found && requireConnection(found.connectionName);
    },
    /** The bucket that holds the artifact. */
    async openOutput({ spec }: Packaging): Promise<ObjectStore> {
      return openStore(await requireConnection(spec.outputConnection));
    },
  };
}
