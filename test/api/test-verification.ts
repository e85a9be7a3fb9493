import { createImageVerifier } from '../../lifecycle/attestation/image-verifier.js';
import type { Connection } from '../../lifecycle/kinds/connection.js';
import { attestationKeys } from '../../platform/attestation/signing-key.js';
import type { Database } from '../../platform/stores/database.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { SecretBox } from '../../platform/stores/secrets.js';
import { createMemoryRegistries } from '../platform/registry/attested-registries.js';

interface Parts {
  database: Database;
  box: SecretBox;
  connections: ResourceStore<Connection>;
  registries?: ReturnType<typeof createMemoryRegistries>;
}

/** Verification of images in registries in memory, with the keys of the installation. */
export function testVerification({ database, box, connections, registries = createMemoryRegistries() }: Parts) {
  const keys = () => attestationKeys({ database, box });
  return {
    verifyImage: createImageVerifier({ connections, registries, registryAuth: async () => undefined, keys }),
    attestationKeys: keys,
  };
}
