import type { BucketRules } from '../kinds/object-location.js';
import type { ImagePolicy } from '../kinds/image-policy.js';
import type { Connection } from '../kinds/connection.js';
import { type Issue, validationError } from '../../platform/kinds/errors.js';
import type { WebhookPolicy } from '../../platform/kinds/webhook-url.js';
import { type Candidate, PREFIXES } from '../../platform/kinds/candidate.js';
import type { ImageRules } from '../../platform/kinds/image-rules.js';
import type { Kind } from '../../platform/kinds/resource.js';
import type { PackagingIntegration } from '../kinds/packaging-integration.js';
import type { ToolchainIntegration } from '../kinds/toolchain-integration.js';

/** Stored resources that a spec may name; undefined when there is none of that id. Plain reads: aliases are ours. */
export interface Lookups {
  connection(id: string): Promise<Connection | undefined>;
  toolchain(id: string): Promise<ToolchainIntegration | undefined>;
  packagingIntegration(id: string): Promise<PackagingIntegration | undefined>;
}

/** Rules of the installation. */
export interface Rules extends BucketRules {
  /** At most 63. */
  maxDeploymentIdLength: number;
  /** Id of the connection that takes artifacts when a spec names none. */
  outputConnection?: string;
  /** Id of the connection that a deployment pulls with when it names none. */
  pullConnection?: string;
  /** The image policy of deployments that name none; `signed`: no deployment asks for less. */
  imagePolicy?: ImagePolicy;
  /** The most of one resource; a client that validates offline does not know them. */
  ceilings?: { replicas: number; cpu: string; memory: string };
  /** The images that may be pulled; a client that validates offline does not know them. */
  images?: ImageRules;
  /** Registries where connections need no credentials; a client that validates offline does not know them. */
  ambientRegistries?: readonly string[];
  /** The addresses that `notify` of a pipeline may have; a client that validates offline does not know them. */
  webhooks?: WebhookPolicy;
  /** A node selector must equal one of these. */
  nodePools: readonly Readonly<Record<string, string>>[];
  /** Folders under which a git connection may name a local path. */
  localRepositories: readonly string[];
}

export interface ValidationContext {
  lookups: Lookups;
  rules: Rules;
}

/** The outcome of a validation. */
export interface ValidationResult<Spec> {
  /** None: the spec can be stored. */
  issues: Issue[];
  /** With the defaults of the installation and of what it names. */
  spec: Spec;
}

/** Takes id and spec to store from a validation. @throws validation_failed, with every issue in order */
export function toValidationResult<Spec>(
  kind: Kind,
  { id }: Candidate<Spec>,
  verdict: ValidationResult<Spec>,
): { id: string; spec: Spec } {
  if (verdict.issues.length > 0) throw validationError(PREFIXES[kind], verdict.issues);
  return { id, spec: verdict.spec };
}

/** Remembers what was looked up: one spec may name the same connection many times. */
export function cachedLookups(lookups: Lookups): Lookups {
  return {
    connection: memoize((id) => lookups.connection(id)),
    toolchain: memoize((id) => lookups.toolchain(id)),
    packagingIntegration: memoize((id) => lookups.packagingIntegration(id)),
  };
}

function memoize<Value>(read: (id: string) => Promise<Value>): (id: string) => Promise<Value> {
  const known = new Map<string, Promise<Value>>();
  return (id) => {
    const value = known.get(id) ?? read(id);
    known.set(id, value);
    return value;
  };
}
