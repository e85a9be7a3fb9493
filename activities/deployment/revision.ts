import type { KeyObject } from 'node:crypto';
import type { AttestedRepository } from '../../platform/attestation/read.js';
import type { EngineDriver } from '../../platform/engines/driver.js';
import { canonical } from '../../lifecycle/kinds/aliases.js';
import type { Connection } from '../../lifecycle/kinds/connection.js';
import type { Deployment } from '../../lifecycle/kinds/deployment.js';
import { type ImagePolicy, policyOf } from '../../lifecycle/kinds/image-policy.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import type { Revision } from '../../lifecycle/kinds/revision.js';
import type { Registries } from '../../platform/registry/client.js';
import type { Repository } from '../../platform/registry/repository.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { containerLimits } from '../shared/limits.js';
import { mirrored, registryAuth } from '../packaging/registry.js';
import { imageDigest, isOfTheEngine, pinned } from './image-pin.js';
import { checkImagePolicy } from './image-policy.js';
import type { OpenSecret } from '../../platform/kinds/secret-places.js';

export interface RevisionDeps {
  engine: EngineDriver;
  connections: ResourceStore<Connection>;
  openSecret: OpenSecret;
  imageMirrors: Readonly<Record<string, string>>;
  registries: DeploymentRegistries;
  imagePolicy: ImagePolicy;
  /** Public keys whose statements about images are trusted. */
  attestationKeys: () => Promise<readonly KeyObject[]>;
}

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
  const pull = spec.imagePullConnID === undefined ? undefined : await deps.connections.get(spec.imagePullConnID);
  const image = mirrored(spec.image, deps.imageMirrors);
  const auth = registryAuth(image, pull, deps.openSecret);
  const access = { auth, signal, reason: 'ImagePullFailed' } as const;
  const repository = isOfTheEngine(image) ? undefined : deps.registries.open(image, access);
  const digest = repository && (await imageDigest(repository, image));
  const warning = await checkImagePolicy({
    image,
    ...(repository && digest !== undefined && { manifest: { digest, repository } }),
    policy: policyOf(spec.imagePolicy, deps.imagePolicy),
    keys: deps.attestationKeys,
  });
  const { id: imageId, labels } = await deps.engine.ensureImage(pinned({ image, digest }), auth, signal);
  const predictor = labels['dev.slipway.predictor'];
  if (predictor !== undefined && predictor !== canonical('predictor', spec.predictor)) {
    throw runFailed({
      reason: 'ProbeFailed',
      message: `the image serves with "${predictor}", not with "${spec.predictor}"`,
    });
  }
  return {
    ref: { id, uid, generation },
    image,
    ...(digest !== undefined && { imageDigest: digest }),
    imageId,
    ...(warning !== undefined && { warning }),
    roleName: spec.roleName,
    ...(spec.roles && { roles: spec.roles }),
    ...(spec.annotations.description && {
      description: spec.annotations.description.slice(0, MOST_DESCRIPTION),
    }),
    feedback: spec.feedback,
    records: spec.records,
    egress: spec.egress,
    replicas: Math.max(1, spec.minReplicas),
    limits: containerLimits(spec.resources),
    readinessDelay: spec.readinessProbeInitialDelay,
    port: Number(labels['dev.slipway.port'] ?? 5_000),
    timeoutSeconds: Number(labels['dev.slipway.timeout'] ?? 60),
    modelName: labels['dev.slipway.model.name'] ?? id,
    modelVersion: labels['dev.slipway.model.version'] ?? '',
  };
}
