import { z } from 'zod';
import { isReferenceKind, type WritableKind, type Slipway } from '../../client/index.js';
import type { Connection } from '../../lifecycle/kinds/connection.js';
import type { PackagingIntegration } from '../../lifecycle/kinds/packaging-integration.js';
import type { ToolchainIntegration } from '../../lifecycle/kinds/toolchain-integration.js';
import { cachedLookups, type ValidationContext, type Rules } from '../../lifecycle/validation/validation.js';
import type { ManifestDocument } from './document.js';
import { VALIDATORS } from './validators.js';

const NodePools = z.array(z.object({ nodeSelector: z.record(z.string(), z.string()) })).default([]);

/** The part of the public configuration that validators need; those of kinds of `/v2` need none of it. */
const Configuration = z.object({
  training: z.object({ outputConnectionID: z.string().optional(), nodePools: NodePools }).prefault({}),
  deployment: z.object({ defaultDockerPullConnName: z.string().optional() }).default({}),
});

/** Validates as the server will: by its settings and stored resources, and as if the manifest were stored already. */
export async function createValidationContext(
  slipway: Slipway,
  documents: readonly ManifestDocument[],
  signal: AbortSignal,
): Promise<ValidationContext> {
  const find = async (kind: WritableKind, id: string): Promise<object | undefined> => {
    const own = documents.find((document) => document.kind === kind && document.id === id);
    const read = own && VALIDATORS[kind].read(own.body);
    return read === undefined ? slipway.entities(kind).find(id, { signal }) : { kind, id, spec: read.spec };
  };
  return {
    rules: toRules(documents.every(({ kind }) => isReferenceKind(kind)) ? {} : await readSettings(slipway, signal)),
    // Validators read only id and spec, which both have.
    lookups: cachedLookups({
      connection: async (id) => (await find('Connection', id)) as Connection | undefined,
      toolchain: async (id) => (await find('ToolchainIntegration', id)) as ToolchainIntegration | undefined,
      packagingIntegration: async (id) => (await find('PackagingIntegration', id)) as PackagingIntegration | undefined,
    }),
  };
}

async function readSettings({ http }: Slipway, signal: AbortSignal): Promise<object | undefined> {
  return (await http.GET('/api/v1/configuration', { signal })).data;
}

function toRules(settings: object | undefined): Rules {
  const { training, deployment } = Configuration.parse(settings);
  return {
    maxDeploymentIdLength: 63,
    nodePools: training.nodePools.map(({ nodeSelector }) => nodeSelector),
    ambientBuckets: [],
    closedFolders: [],
    localRepositories: [],
    ...(training.outputConnectionID && { outputConnection: training.outputConnectionID }),
    ...(deployment.defaultDockerPullConnName && { pullConnection: deployment.defaultDockerPullConnName }),
  };
}
