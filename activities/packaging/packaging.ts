import type { Connection } from '../../lifecycle/kinds/connection.js';
import { packagingStep } from '../../lifecycle/kinds/lineage-steps.js';
import type { Packaging, PackagingStatus } from '../../lifecycle/kinds/packaging.js';
import type { LineageLog } from '../../lifecycle/stores/lineage.js';
import { parseImageReference, referenceIn } from '../../platform/engines/image-reference.js';
import { containerName, logPrefix, type RunRef } from '../../platform/kinds/ids.js';
import type { Failure } from '../../platform/kinds/reasons.js';
import type { LogStore } from '../../platform/stores/logs.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { logDuration } from '../shared/log-duration.js';
import { removeContainers } from '../shared/run-containers.js';
import { advance, claim, recordEnd } from '../shared/status.js';
import { assembleFromArtifact, type BuiltImage } from './image-assembly.js';
import type { ImageAssemblyDeps } from './image-request.js';
import { attestChecked, type AttestationDeps } from './image-attestation.js';
import { type CheckedImage, checkImage, removeCheck } from './image-check.js';
import { createPackagingConnections } from './packaging-connections.js';
import { createStepRunner } from './packaging-step.js';
import { tagImage } from './registry.js';

export interface PackagingDeps extends ImageAssemblyDeps, AttestationDeps {
  packagings: ResourceStore<Packaging>;
  lineage: Pick<LineageLog, 'keep' | 'steps'>;
  logs: LogStore;
  openStore: (connection: Connection) => Promise<ObjectStore>;
  /** How long the model server may take to get ready. */
  readySeconds: number;
  /** Limit of a whole packaging, from the start of its build. */
  limitSeconds: number;
  now?: () => Date;
}

export interface PackagingOutcome {
  ref: RunRef;
  built: BuiltImage;
  /** sha256:... of the manifest in the registry. */
  digest: string;
}

/** The image that a packaging makes. */
interface PackedRef {
  ref: RunRef;
  image: string;
  /** Absent in runs that an earlier release began. */
  digest?: string;
}

const byDigest = (image: string, digest?: string): string =>
  digest === undefined ? image : `${parseImageReference(image).name}@${digest}`;

export type PackagingActivities = ReturnType<typeof createPackagingActivities>;

/**
 * Effects of a packaging, each of them repeatable. All but the records throw run_failed, Timeout,
 * once the packaging has lasted `limitSeconds`.
 */
export function createPackagingActivities(deps: PackagingDeps) {
  const { packagings, engine, logs, limitSeconds, readySeconds, now = () => new Date() } = deps;
  const runStep = createStepRunner({ packagings, logs, limitSeconds, now });
  const connections = createPackagingConnections(deps);
  const pushAuth = async (packaging: Packaging, image: string) =>
    deps.registryAuth(image, await connections.target(packaging, 'container-push'), { reason: 'PushFailed' });

  return {
    /** @throws as `claim` */
    async claimPackaging(ref: RunRef): Promise<void> {
      await claim(packagings, 'packaging', ref, now);
    },

    /**
     * Assembles the image and pushes it by its digest.
     * @throws run_failed: ArtifactNotFound, ImagePullFailed, PackagerFailed, PushFailed
     */
    async buildImage({ ref, uuid }: { ref: RunRef; uuid: string }): Promise<BuiltImage> {
      await advance(packagings, ref, 'running', { startedAt: now().toISOString() }, now);
      return runStep(ref, 'build', (step) => assembleFromArtifact(deps, { ref, uuid, connections, step }));
    },

    /**
     * Starts the image without network and compares its answer with the recorded one.
     * @throws run_failed: SelfCheckFailed, ImagePullFailed
     */
    async testImage({ ref, image, digest }: PackedRef): Promise<CheckedImage> {
      return runStep(ref, 'check', async (step) => {
        const auth = await pushAuth(step.packaging, image);
        return checkImage(engine, { ref, image: byDigest(image, digest), auth, readySeconds, step });
      });
    },

    /** Removes the container of the passed check, signs statements about the image, then writes the tag. @returns the manifest's digest. @throws run_failed, PushFailed */
    async pushImage({ ref, image, digest: assembled }: PackedRef): Promise<string> {
      return runStep(ref, 'push', async (step) => {
        const { packaging, say, signal } = step;
        // An earlier release left the image in the engine alone: it is assembled now, of the same artifact and tag.
        const digest = assembled ?? (await assembleFromArtifact(deps, { ref, image, connections, step })).digest;
        const auth = await pushAuth(packaging, image);
        const repository = deps.registries.open(image, { auth, signal, reason: 'PushFailed' });
        await Promise.all([
          logDuration(say, 'statements signed', () => attestChecked(deps, repository, digest)),
          removeCheck(engine, ref),
        ]);
        await logDuration(say, 'tag written', () => tagImage(repository, digest, referenceIn(image)));
        say(`INFO ${image} pushed as ${digest}`);
        return digest;
      });
    },

    /** Writes the final status, then the end of the log: a client that follows the log reads the status after it. */
    async recordPackagingSucceeded({ ref, built, digest }: PackagingOutcome): Promise<void> {
      const results = [
        { name: 'image', value: built.image },
        { name: 'imageDigest', value: digest },
        { name: 'imageSize', value: String(built.sizeBytes ?? 0) },
        { name: 'environment', value: built.environment },
      ];
      const { imageId, artifactDigest } = built;
      const patch = { results, imageId, artifactDigest, finishedAt: now().toISOString(), exitCode: 0 };
      const packaged = await advance<PackagingStatus, Packaging>(packagings, ref, 'succeeded', patch, now);
      await deps.lineage.keep(packagingStep(packaged));
      await (await logs.writer(logPrefix('packaging', ref))).finish({ exitCode: 0 });
    },

    async recordPackagingFailed({ ref, failure }: { ref: RunRef; failure: Failure }): Promise<void> {
      await recordEnd(packagings, logs, { kind: 'packaging', ref, failure, now });
    },

    /** Removes every container of this run; nothing there is success. */
    async removePackagingJob(ref: RunRef): Promise<void> {
      const parts = ['base', 'uv', 'install', 'pack', 'smoke'];
      await removeContainers(
        engine,
        parts.map((part) => ({ name: containerName('packaging', ref, part) })),
      );
    },
  };
}
