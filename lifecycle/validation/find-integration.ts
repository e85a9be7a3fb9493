import { aliasOf, canonical } from '../kinds/aliases.js';
import type { PackagingIntegration } from '../kinds/packaging-integration.js';
import type { ToolchainIntegration } from '../kinds/toolchain-integration.js';
import type { Lookups } from './validation.js';

/** Finds a toolchain by a client's name: a resource of that very id wins over the built-in one that it is an alias of. */
export async function findToolchain(lookups: Pick<Lookups, 'toolchain'>, id: string) {
  return (await lookups.toolchain(id)) ?? inWords(await lookups.toolchain(canonical('toolchain', id)), id);
}

/** As `findToolchain`; through an alias, targets, types and arguments are in the alias's vocabulary too. */
export async function findPackagingIntegration(lookups: Pick<Lookups, 'packagingIntegration'>, id: string) {
  const own = await lookups.packagingIntegration(id);
  if (own !== undefined) return own;
  const primary = await lookups.packagingIntegration(canonical('packager', id));
  return primary && toAliasWords(primary, id);
}

const inWords = (toolchain: ToolchainIntegration | undefined, id: string): ToolchainIntegration | undefined =>
  toolchain && { ...toolchain, id };

function toAliasWords(integration: PackagingIntegration, id: string): PackagingIntegration {
  const { targets, arguments: args } = integration.spec.schema;
  const schema = {
    targets: targets.map((target) => ({
      ...target,
      name: aliasOf('packagerTarget', target.name),
      connectionTypes: target.connectionTypes.map((type) => aliasOf('connectionType', type)),
    })),
    arguments: {
      properties: args.properties.map((property) => ({
        ...property,
        name: aliasOf('packagerArgument', property.name),
      })),
      required: args.required.map((name) => aliasOf('packagerArgument', name)),
    },
  };
  return { ...integration, id, spec: { ...integration.spec, schema } };
}
