import type { z } from 'zod';
import type { Resource } from '../../platform/kinds/resource.js';
import { anyMap, list, object, optionalText, text, textMap } from '../../platform/kinds/lenient.js';
import { DEFAULT_RESOURCES, ResourceRequirements } from '../../platform/kinds/resource-requirements.js';
import { freshRun, type RunStatus } from '../../platform/kinds/run-status.js';

/** Which artifact becomes an image, by which packager, and where the image goes. */
export const PackagingSpec = object({
  artifactName: text(),
  /** Id of a packaging integration, as the client named it. */
  integrationName: text(),
  /** Stored as sent; the integration's defaults are merged at run time. */
  arguments: anyMap(),
  targets: list(object({ name: text(), connectionName: text() })),
  /** Image of the packager itself; the integration's `defaultImage` when none was given. */
  image: optionalText(),
  resources: ResourceRequirements.default(DEFAULT_RESOURCES.packaging),
  /** Id of the connection that stores the artifact. */
  outputConnection: text(),
  /** Empty: any pool. */
  nodeSelector: textMap(),
});
export type PackagingSpec = z.infer<typeof PackagingSpec>;

export interface PackagingStatus extends RunStatus {
  /** The item named `image` is the first one. */
  results: { name: string; value: string }[];
  /** SHA-256 of the artifact that was packaged. */
  artifactDigest?: string;
  /** Id of the image (`sha256:...`), which every engine gives it; the digest is that of its manifest in the registry. */
  imageId?: string;
}
export type Packaging = Resource<PackagingSpec, PackagingStatus>;

export const freshPackaging = (now: Date): PackagingStatus => ({ ...freshRun(now), results: [] });
