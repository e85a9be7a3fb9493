import { Readable } from 'node:stream';
import { resolveCommit } from '../../activities/training/git.js';
import { gitSource } from '../../activities/training/training-source.js';
import { imageRules } from '../../api/lifecycle/validation-context.js';
import type { Settings } from '../../config.js';
import { createObjectStoreFor } from '../../lifecycle/stores/connection-objects.js';
import { createConnectionTest } from '../../lifecycle/stores/connection-test.js';
import type { OpenSecret } from '../../platform/kinds/secret-places.js';
import { digestOfBytes } from '../../platform/registry/manifests.js';
import { createRegistries } from '../../platform/registry/client.js';
import type { SecretBox } from '../../platform/stores/secrets.js';
import { connectionBuckets } from './bucket.js';
import { outboundRules } from './outbound-rules.js';
import { openRegistryAuth } from './registry-auth.js';

/** Builds what the API needs to test connections, with the rules of the workers that use them. */
export function openConnectionTest(settings: Settings, box: Pick<SecretBox, 'open'>) {
  // Base64 is how clients send secrets.
  const openSecret: OpenSecret = (sealed, place) => Buffer.from(box.open(sealed, place), 'base64').toString('utf8');
  const registries = createRegistries(imageRules(settings), []);
  const registryAuth = openRegistryAuth(settings, openSecret);
  const buckets = connectionBuckets(settings, openSecret);
  const git = {
    openSecret,
    localRoots: settings.SLIPWAY_LOCAL_REPOSITORIES,
    outbound: outboundRules(settings),
    sshFirstUse: settings.SLIPWAY_SSH_FIRST_USE,
  };
  return createConnectionTest({
    openStore: (connection) => createObjectStoreFor(connection, buckets),
    openRepository: async (connection, { signal, write }) => {
      const image = `${connection.spec.uri.replace(/\/+$/, '')}/slipway-connection-test`;
      const reason = 'ImagePullFailed';
      const auth = await registryAuth(image, connection, { reason, push: write });
      const repository = registries.open(image, { auth, signal, reason });
      return {
        manifestDigest: (reference) => repository.manifestDigest(reference),
        uploadBytes: (bytes) =>
          repository.uploadBlob({
            digest: digestOfBytes(bytes),
            size: bytes.length,
            open: (start) => Readable.from([bytes.subarray(start)]),
          }),
      };
    },
    readReferences: (connection, signal) =>
      resolveCommit(gitSource(git, connection, connection.spec.reference, signal)),
  });
}
