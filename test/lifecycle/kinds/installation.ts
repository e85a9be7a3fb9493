import { builtInConnections, builtInPackagers, builtInToolchains } from '../../../lifecycle/kinds/built-in.js';
import type { Connection, ConnectionSpec } from '../../../lifecycle/kinds/connection.js';
import { platformFolders } from '../../../lifecycle/kinds/object-location.js';
import type { Resource, Kind } from '../../../platform/kinds/resource.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import type { PackagingIntegration } from '../../../lifecycle/kinds/packaging-integration.js';
import type { ToolchainIntegration } from '../../../lifecycle/kinds/toolchain-integration.js';
import type { ValidationContext, Rules } from '../../../lifecycle/validation/validation.js';

export const SETTINGS = {
  bucket: 'gs://slipway',
  registry: 'registry.test/models',
  toolchainImage: 'toolchain:1',
  builderImage: 'builder:1',
};

/** An entity as a store has it. */
export function stored<Spec, Status>(kind: Kind, id: string, spec: Spec, status: Status): Resource<Spec, Status> {
  const at = '2026-01-02T03:04:05.678Z';
  const uid = '0f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9';
  const marks = { generation: 1, revision: 1, createdAt: at, updatedAt: at, createdBy: 'ann', updatedBy: 'bob' };
  return { kind, id, uid, spec, status, ...marks };
}

interface Installed {
  connections?: Readonly<Record<string, Partial<ConnectionSpec>>>;
  toolchains?: readonly ToolchainIntegration[];
  packagers?: readonly PackagingIntegration[];
  rules?: Partial<Rules>;
}

/** A fresh installation: what is built in, and these connections. */
export function installation({
  connections = {},
  toolchains = [],
  packagers = [],
  rules = {},
}: Installed = {}): ValidationContext {
  const given = Object.entries(connections).map(([id, spec]) => ({
    id,
    spec: { type: '', uri: '', vital: false, ...spec },
  }));
  const all: Connection[] = [...builtInConnections(SETTINGS), ...given].map(({ id, spec }) =>
    stored('Connection', id, spec, {}),
  );
  const ownToolchains = builtInToolchains(SETTINGS).map(({ kind, id, spec }) => stored(kind, id, spec, {}));
  const ownPackagers = builtInPackagers(SETTINGS).map(({ kind, id, spec }) => stored(kind, id, spec, {}));
  return {
    lookups: {
      connection: async (id) => all.find((each) => each.id === id),
      toolchain: async (id) => [...ownToolchains, ...toolchains].find((each) => each.id === id),
      packagingIntegration: async (id) => [...ownPackagers, ...packagers].find((each) => each.id === id),
    },
    rules: {
      maxDeploymentIdLength: 63,
      outputConnection: 'models-output',
      pullConnection: 'docker-ci',
      nodePools: [],
      ambientBuckets: ['gs://slipway'],
      ownBucket: 'gs://slipway',
      ambientRegistries: [],
      closedFolders: platformFolders(''),
      localRepositories: [],
      ...rules,
    },
  };
}

/** The message that a client gets, without the part that is the same for every body of a kind. */
export async function refusal(accepting: Promise<unknown>): Promise<string> {
  const error: unknown = await accepting.then(
    () => undefined,
    (err: unknown) => err,
  );
  if (!(error instanceof SlipwayError)) throw new Error('it was accepted, or failed in another way', { cause: error });
  return error.message;
}
