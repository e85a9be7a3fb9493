import type { KeyObject } from 'node:crypto';
import type { AttestedRepository } from '../../platform/attestation/read.js';
import type { EngineDriver, RegistryAuth } from '../../platform/engines/driver.js';
import { reasonOf } from '../../platform/engines/refusal.js';
import { canonical } from '../../lifecycle/kinds/aliases.js';
import type { Connection } from '../../lifecycle/kinds/connection.js';
import type { Deployment } from '../../lifecycle/kinds/deployment.js';
import { type ImagePolicy, policyOf } from '../../lifecycle/kinds/image-policy.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import type { Revision } from '../../lifecycle/kinds/revision.js';
import type { Registries } from '../../platform/registry/client.js';
import type { Repository } from '../../platform/registry/repository.js';
import type { RegistryAuthOf } from '../../lifecycle/stores/registry-auth.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { containerLimits } from '../shared/limits.js';
import { mirrored } from '../packaging/registry.js';
import { imageDigest, isOfTheEngine, pinned } from './image-pin.js';
import { checkImagePolicy } from './image-policy.js';

export interface RevisionDeps {
  engine: EngineDriver;
  connections: ResourceStore<Connection>;
  registryAuth: RegistryAuthOf;
  imageMirrors: Readonly<Record<string, string>>;
  registries: DeploymentRegistries;
  imagePolicy: ImagePolicy;
  /** Public keys whose statements about images are trusted. */
  attestationKeys: () => Promise<readonly KeyObject[]>;
}

/** Calls that a replica takes at once, also where the image says less: its server queues a few itself. */
const LEAST_CONCURRENCY = 10;
/** Each gateway reads the description with the route table. */
const MOST_DESCRIPTION = 1_000;

/** Opens the repository of an image. */
export interface DeploymentRegistries {
  open(
    image: string,
    access: Parameters<Registries['open']>[1],
  ): AttestedRepository & Pick<Repository, 'manifestDigest'>;
}

/**
 * Pulls the image by its digest and reads from its labels how it serves.
 * @throws run_failed: ImagePullFailed; ImageRefused by the policy; ProbeFailed when the image is of another predictor
 */
export async function resolveRevision(
  deps: RevisionDeps,
  { id, uid, generation, spec }: Deployment,
  signal: AbortSignal,
): Promise<Revision> {
  const image = mirrored(spec.image, deps.imageMirrors);
  const reason = 'ImagePullFailed';
  const auth = await pullAuth(deps, image, spec);
  const access = { auth, signal, reason } as const;
  const repository = isOfTheEngine(image) ? undefined : deps.registries.open(image, access);
  const digest = repository && (await imageDigest(repository, image));
  const warning = await checkImagePolicy({
    image,
    ...(repository && digest !== undefined && { manifest: { digest, repository } }),
    policy: policyOf(spec.imagePolicy, deps.imagePolicy),
    keys: deps.attestationKeys,
  });
  const { id: imageId, labels } = await deps.engine.ensureImage(pinned({ image, digest }), auth, signal);
  if (labels['dev.slipway.packager'] === 'container-cli') {
    const message = `image "${image}" is a command line tool and serves no requests: package the model with container-rest to deploy it`;
    throw runFailed({ reason: 'ProbeFailed', message });
  }
  const predictor = labels['dev.slipway.predictor'];
  if (predictor !== undefined && predictor !== canonical('predictor', spec.predictor)) {
    throw runFailed({
      reason: 'ProbeFailed',
      message: `the image serves with "${predictor}", not with "${spec.predictor}"`,
    });
  }
  const isTensor = canonical('predictor', spec.predictor) === 'tensor-server';
  return {
    ref: { id, uid, generation },
    image,
    ...(digest !== undefined && { imageDigest: digest }),
    imageId,
    ...(warning !== undefined && { warning }),
    ...(isTensor && { predictor: 'tensor-server' as const }),
    roleName: spec.roleName,
    ...(spec.roles && { roles: spec.roles }),
    ...(spec.annotations.description && {
      description: spec.annotations.description.slice(0, MOST_DESCRIPTION),
    }),
    feedback: spec.feedback,
    records: spec.records,
    egress: spec.egress,
    replicas: spec.suspended ? 0 : Math.max(1, spec.minReplicas),
    scale: { min: spec.minReplicas, max: spec.maxReplicas },
    ...(spec.suspended && { suspended: true }),
    concurrency: Math.max(LEAST_CONCURRENCY, Number(labels['dev.slipway.concurrency'] ?? 0)),
    limits: containerLimits(spec.resources),
    readinessDelay: spec.readinessProbeInitialDelay,
    livenessDelay: spec.livenessProbeInitialDelay,
    port: Number(labels['dev.slipway.port'] ?? (isTensor ? 8_000 : 5_000)),
    timeoutSeconds: Number(labels['dev.slipway.timeout'] ?? 60),
    modelName: labels['dev.slipway.model.name'] ?? id,
    modelVersion: labels['dev.slipway.model.version'] ?? '',
  };
}

async function pullAuth(
  { connections, registryAuth }: RevisionDeps,
  image: string,
  { imagePullConnID }: Pick<Deployment['spec'], 'imagePullConnID'>,
): Promise<RegistryAuth | undefined> {
  const pull = imagePullConnID === undefined ? undefined : await connections.get(imagePullConnID);
  return registryAuth(image, pull, { reason: 'ImagePullFailed' });
}

/**
 * The engine for the replicas of a revision. It gets an image again that it has lost, as by a clean-up of images: one whose
 * replicas were stopped for want of calls has no container that keeps it.
 */
export function keepingImage(
  deps: RevisionDeps & { deployments: Pick<ResourceStore<Deployment>, 'get'> },
  { ref, image, imageDigest: digest, imageId }: Revision,
  signal: AbortSignal,
): EngineDriver {
  const { engine, deployments } = deps;
  return {
    ...engine,
    async create(spec) {
      try {
        return await engine.create(spec);
      } catch (err) {
        if (reasonOf(err) !== 'ImagePullFailed') throw err;
        const auth = await pullAuth(deps, image, (await deployments.get(ref.id))?.spec ?? {});
        await engine.ensureImage(pinned({ image, digest, imageId }), auth, signal);
        return engine.create(spec);
      }
    },
  };
}
