import type { Connection } from '../../lifecycle/kinds/connection.js';
import type { PackagingIntegration } from '../../lifecycle/kinds/packaging-integration.js';
import type { LineageLog } from '../../lifecycle/stores/lineage.js';
import type { EngineDriver } from '../../platform/engines/driver.js';
import type { RunRef } from '../../platform/kinds/ids.js';
import type { Image } from '../../platform/registry/image.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { RegistryDeps } from '../shared/platform-repository.js';
import type { PythonInstaller } from '../shared/python-installer.js';
import type { ImageParts } from './image-description.js';
import type { PackagingConnections } from './packaging-connections.js';
import type { PackagingStep } from './packaging-step.js';

export interface ImageAssemblyDeps extends PythonInstaller, RegistryDeps {
  integrations: ResourceStore<PackagingIntegration>;
  lineage: Pick<LineageLog, 'steps'>;
  engine: EngineDriver;
  /** The platform's bucket: caches only. */
  objects: ObjectStore;
  /** Folder of the Python package `slipway_server`. */
  server: string;
  imageMirrors: Readonly<Record<string, string>>;
}

type PackedImage =
  | {
      /** Part of the tag. */
      uuid: string;
    }
  | {
      /** Full name with tag. */
      image: string;
    };

/** The image that a packaging asks for. */
export type ImageRequest = { ref: RunRef; connections: PackagingConnections; step: PackagingStep } & PackedImage;

/** A request with all that every packager needs. */
export type ImageAssembly = ImageRequest & {
  /** `undefined` when it was deleted meanwhile. */
  integration: PackagingIntegration | undefined;
  push: Connection;
  /** Folder that is removed afterwards. */
  scratch: string;
};

/** The product of a packager. */
export interface AssembledImage {
  /** Full name with tag. */
  name: string;
  image: Image;
  /** Name of the image below the model. */
  environment: string;
  /** For the statements about the image. */
  parts: ImageParts;
}
