import type { KeyObject } from 'node:crypto';
import { connectionBuckets } from './bucket.js';
import { imageRules } from '../../api/lifecycle/validation-context.js';
import type { Settings } from '../../config.js';
import { createImageVerifier } from '../../lifecycle/attestation/image-verifier.js';
import { createObjectStoreFor } from '../../lifecycle/stores/connection-objects.js';
import { createCreationChecks } from '../../lifecycle/stores/creation-checks.js';
import type { Connection } from '../../lifecycle/kinds/connection.js';
import { attestationKeys } from '../../platform/attestation/signing-key.js';
import type { OpenSecret } from '../../platform/kinds/secret-places.js';
import { createRegistries } from '../../platform/registry/client.js';
import type { Database } from '../../platform/stores/database.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { SecretBox } from '../../platform/stores/secrets.js';
import { openRegistryAuth } from './registry-auth.js';

interface Parts {
  settings: Settings;
  connections: ResourceStore<Connection>;
  database: Database;
  box: SecretBox;
}

/** Builds what the API needs to verify images, and to find what new resources name: registries, credentials and keys. */
export function openImageVerification({ settings, connections, database, box }: Parts) {
  // Base64 is how clients send secrets.
  const openSecret: OpenSecret = (sealed, place) => Buffer.from(box.open(sealed, place), 'base64').toString('utf8');
  // Read once, for the key never changes: its endpoint is open to anyone.
  let kept: Promise<KeyObject[]> | undefined;
  const keys = (): Promise<KeyObject[]> => {
    kept ??= attestationKeys({ database, box }).catch((err: unknown) => {
      kept = undefined;
      throw err;
    });
    return kept;
  };
  const access = {
    connections,
    registries: createRegistries(imageRules(settings)),
    registryAuth: openRegistryAuth(settings, openSecret),
  };
  const creationChecks = createCreationChecks({
    ...access,
    openStore: (connection) => createObjectStoreFor(connection, connectionBuckets(settings, openSecret)),
    mirrored: Object.keys(settings.SLIPWAY_IMAGE_MIRRORS),
  });
  return { verifyImage: createImageVerifier({ ...access, keys }), creationChecks, attestationKeys: keys };
}
