import { DEFAULT_CONNECTIONS, REGISTRIES } from './built-in-rules.js';
import { cloudRegistry } from './cloud-registry.js';
import type { ConnectionSpec } from './connection.js';
import {
  type ArgumentTable,
  CLI_ARGUMENTS,
  propertiesOf,
  REST_ARGUMENTS,
  TENSOR_ARGUMENTS,
} from './packaging-arguments.js';
import type { BuiltInPackager } from './packager.js';
import type { PackagingIntegrationSpec } from './packaging-integration.js';
import { FILES_RUNNER, MODEL_RUNNER } from './toolchain-program.js';
import type { ToolchainIntegrationSpec } from './toolchain-integration.js';

export interface BuiltInSettings {
  /** Uri of the platform's own bucket. */
  bucket: string;
  /** `host:port/prefix` of the platform's registry. */
  registry: string;
  toolchainImage: string;
  builderImage: string;
}

/** A resource that exists after installation: an id and a normalized spec. */
export interface BuiltIn<Kind extends string, Spec> {
  kind: Kind;
  id: string;
  spec: Spec;
}

/** Default connections for artifacts and images; without them validation reports more errors than clients expect. */
export function builtInConnections({ bucket, registry }: BuiltInSettings): BuiltIn<'Connection', ConnectionSpec>[] {
  const kind = 'Connection';
  const type = cloudRegistry(registry) === undefined ? 'container-registry' : 'cloud-registry';
  return [
    {
      kind,
      id: DEFAULT_CONNECTIONS.registry,
      spec: { type, uri: registry, description: 'registry of built images', vital: true },
    },
    {
      kind,
      id: DEFAULT_CONNECTIONS.output,
      spec: { type: 'object-store', uri: bucket, description: 'bucket of trained artifacts', vital: true },
    },
  ];
}

/** Both run MLflow projects: one for the model that they log, one for the files that they write, as a tensor server takes them. */
export function builtInToolchains(
  settings: BuiltInSettings,
): BuiltIn<'ToolchainIntegration', ToolchainIntegrationSpec>[] {
  const toolchain = (id: string, entrypoint: string) => ({
    kind: 'ToolchainIntegration' as const,
    id,
    spec: { entrypoint, defaultImage: settings.toolchainImage, additionalEnvironments: {} },
  });
  return [toolchain('ml-toolchain', MODEL_RUNNER), toolchain('mlflow-project', FILES_RUNNER)];
}

export function builtInPackagers(
  settings: BuiltInSettings,
): BuiltIn<'PackagingIntegration', PackagingIntegrationSpec>[] {
  const push = { name: 'container-push', connectionTypes: REGISTRIES, default: DEFAULT_CONNECTIONS.registry };
  const targets = [{ ...push, required: true }];
  const withBase = [...targets, { name: 'container-pull', connectionTypes: REGISTRIES, required: false }];
  const packager = (
    id: BuiltInPackager,
    table: ArgumentTable,
    targets: PackagingIntegrationSpec['schema']['targets'],
  ) => ({
    kind: 'PackagingIntegration' as const,
    id,
    spec: {
      entrypoint: id,
      defaultImage: settings.builderImage,
      privileged: false,
      schema: { targets, arguments: { properties: propertiesOf(table), required: [] } },
    },
  });
  return [
    packager('container-rest', REST_ARGUMENTS, withBase),
    packager('container-cli', CLI_ARGUMENTS, withBase),
    packager('container-tensor', TENSOR_ARGUMENTS, targets),
  ];
}
