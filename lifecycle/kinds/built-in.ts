import { DEFAULT_CONNECTIONS, REGISTRIES } from './built-in-rules.js';
import type { ConnectionSpec } from './connection.js';
import { restProperties } from './packaging-arguments.js';
import type { PackagingIntegrationSpec } from './packaging-integration.js';
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
  return [
    {
      kind,
      id: DEFAULT_CONNECTIONS.registry,
      spec: { type: 'container-registry', uri: registry, description: 'registry of built images', vital: true },
    },
    {
      kind,
      id: DEFAULT_CONNECTIONS.output,
      spec: { type: 'object-store', uri: bucket, description: 'bucket of trained artifacts', vital: true },
    },
  ];
}

/** Both run MLflow projects; `mlflow-project` is the name in manifests that give the form instead of the toolchain. */
export function builtInToolchains(
  settings: BuiltInSettings,
): BuiltIn<'ToolchainIntegration', ToolchainIntegrationSpec>[] {
  const spec = {
    entrypoint: 'python3 -m slipway_runner',
    defaultImage: settings.toolchainImage,
    additionalEnvironments: {},
  };
  return ['ml-toolchain', 'mlflow-project'].map((id) => ({ kind: 'ToolchainIntegration', id, spec }));
}

export function builtInPackagers(
  settings: BuiltInSettings,
): BuiltIn<'PackagingIntegration', PackagingIntegrationSpec>[] {
  const targets = [
    { name: 'container-push', connectionTypes: REGISTRIES, default: DEFAULT_CONNECTIONS.registry, required: true },
    { name: 'container-pull', connectionTypes: REGISTRIES, required: false },
  ];
  const spec = {
    entrypoint: 'container-rest',
    defaultImage: settings.builderImage,
    privileged: false,
    schema: { targets, arguments: { properties: restProperties(), required: [] } },
  };
  return [{ kind: 'PackagingIntegration', id: 'container-rest', spec }];
}
