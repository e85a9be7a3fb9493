import { cancellationSignal } from '@temporalio/activity';
import type { EngineDriver } from '../../platform/engines/driver.js';
import { referenceIn } from '../../platform/engines/image-reference.js';
import { sameName } from '../../lifecycle/kinds/aliases.js';
import type { Connection } from '../../lifecycle/kinds/connection.js';
import type { RunRef } from '../../platform/kinds/ids.js';
import type { PackagingIntegration } from '../../lifecycle/kinds/packaging-integration.js';
import { acceptPackaging } from '../../lifecycle/validation/packaging-validation.js';
import { freshPackaging, type Packaging, type PackagingSpec } from '../../lifecycle/kinds/packaging.js';
import type { PipelineRun } from '../../lifecycle/kinds/pipeline-run.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import type { ValidationContext } from '../../lifecycle/validation/validation.js';
import type { Image } from '../../platform/registry/image.js';
import { openImage } from '../../platform/registry/open-image.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { PipelineRunStore } from '../../lifecycle/stores/pipeline-runs.js';
import { digestOf, type Inputs, type ReuseStore } from '../../lifecycle/stores/reuse.js';
import { baseDigest } from '../shared/base.js';
import type { RegistryDeps } from '../shared/platform-repository.js';
import { findIntegration } from '../shared/integrations.js';
import { concludeChild, putChild } from './pipeline-child.js';
import { jobHolding } from '../../lifecycle/stores/holdings.js';
import { type PipelineQuotaDeps, withinQuota } from './pipeline-quota.js';
import { whileBeating } from '../shared/heartbeat.js';
import { fillIn, noteStep, rendererOf } from './pipeline-steps.js';
import type { Concluding, Prepared } from './pipeline-training.js';
import { mirrored } from '../packaging/registry.js';
import { findReusable } from './reuse.js';
import { currentResource } from '../shared/status.js';
import { requireConnection, type SourceDeps } from '../training/training-source.js';

/** An image that can stand for another one of the same inputs. */
export interface PackedImage {
  /** Id of the packaging. */
  packaging: string;
  image: string;
  digest: string;
  /** Id of the connection that it was pushed with. */
  connection: string;
}

export interface PipelinePackagingDeps extends PipelineQuotaDeps, SourceDeps, RegistryDeps {
  pipelineRuns: ResourceStore<PipelineRun>;
  pipelineRunStore: PipelineRunStore;
  packagings: ResourceStore<Packaging>;
  packagingIntegrations: ResourceStore<PackagingIntegration>;
  connections: ResourceStore<Connection>;
  packagingReuse: ReuseStore<PackedImage>;
  engine: EngineDriver;
  imageMirrors: Readonly<Record<string, string>>;
  validationContext: ValidationContext;
  now?: () => Date;
}

/** The third step of a pipeline's run: its packaging. */
export function createPipelinePackagingActivities(deps: PipelinePackagingDeps) {
  const { pipelineRuns, pipelineRunStore, packagings, packagingReuse, now = () => new Date() } = deps;

  return {
    /** Finds an image of equal inputs, or stores the packaging that must run. @throws run_failed, reason Conflict */
    async preparePipelinePackaging(ref: RunRef): Promise<Prepared> {
      const run = await noteStep(deps, ref, 'packaging', { state: 'running' });
      const spec = await fillIn(() => packagingOf(deps, run));
      const found = await whileBeating(async () =>
        findReusable(packagingReuse, {
          run,
          previous: await pipelineRunStore.get(run.spec.pipeline, run.spec.number - 1),
          step: 'packaging',
          inputs: await inputsOf(deps, spec),
          lost: (packed) => lostImage(deps, packed, spec),
        }),
      );
      if ('result' in found) {
        const { packaging, image, digest } = found.result;
        const step = { state: 'succeeded', reusedFrom: `packaging/${packaging}`, inputs: found.key } as const;
        await noteStep(deps, ref, 'packaging', step, { image, imageDigest: digest });
        return { reusedFrom: step.reusedFrom };
      }
      const wanted = jobHolding({ kind: 'ModelPackaging', id: run.id, spec, createdBy: run.createdBy }, 0);
      const work = () =>
        putChild(packagings, run, {
          ...{ kind: 'ModelPackaging', word: 'packaging', spec, freshStatus: freshPackaging(now()), now: now() },
          isLost: found.lost?.packaging === run.id,
        });
      const { ref: child, done } = await withinQuota(deps, run, { wanted, work });
      const step = { child: `packaging/${child.id}`, reuseMiss: found.miss, inputs: found.key };
      await noteStep(deps, ref, 'packaging', step);
      return done ? {} : { child };
    },

    /** Takes over the image that was pushed. @throws run_failed with the packaging's reason */
    async concludePipelinePackaging({ ref, child }: Concluding): Promise<void> {
      const run = await currentResource(pipelineRuns, ref);
      const step = run.status.steps.find(({ name }) => name === 'packaging');
      if (step?.state === 'succeeded') return;
      const packaging = child ? await concludeChild(packagings, child, 'packaging') : await packagings.get(run.id);
      if (packaging === undefined) throw runFailed({ reason: 'Conflict', message: `packaging ${run.id} was removed` });
      const resultOf = (name: string) => packaging.status.results.find((result) => result.name === name)?.value ?? '';
      const [image, digest] = [resultOf('image'), resultOf('imageDigest')];
      const connection = pushTarget(packaging.spec);
      const packed = { packaging: packaging.id, image, digest, connection };
      if (step?.inputs !== undefined) await packagingReuse.keep(step.inputs, packed);
      await noteStep(deps, ref, 'packaging', { state: 'succeeded' }, { image, imageDigest: digest });
    },
  };
}

async function packagingOf({ validationContext }: PipelinePackagingDeps, run: PipelineRun): Promise<PackagingSpec> {
  const { packaging, training } = run.spec.template;
  const outputConnection = packaging.outputConnection || training.outputConnection;
  const rendered = rendererOf(run).render({ ...packaging, outputConnection });
  const spec = { ...rendered, artifactName: run.status.artifactName };
  return (await acceptPackaging({ id: run.id, spec }, validationContext)).spec;
}

const pushTarget = ({ targets }: PackagingSpec): string =>
  targets.find(({ name }) => sameName('packagerTarget', name, 'container-push'))?.connectionName ?? '';

/** Collects all that decides what comes out of a packaging: the artifact's bytes, the packager and its arguments. Its base counts by `lostImage`. */
async function inputsOf(deps: PipelinePackagingDeps, spec: PackagingSpec): Promise<Inputs> {
  const integration = await findIntegration(deps.packagingIntegrations, 'packager', spec.integrationName);
  const bucket = await deps.openStore(await requireConnection(deps, spec.outputConnection));
  const artifact = await bucket.head(spec.artifactName);
  return {
    artifact: artifact?.metadata.sha256 ?? spec.artifactName,
    integration: spec.integrationName,
    integrationSettings: digestOf(integration?.spec ?? {}),
    arguments: digestOf(spec.arguments),
    targets: digestOf(spec.targets),
  };
}

async function lostImage(
  deps: PipelinePackagingDeps,
  packed: PackedImage,
  spec: PackagingSpec,
): Promise<string | undefined> {
  const connection = await requireConnection(deps, packed.connection);
  const { image, packaging } = packed;
  const reason = 'ImagePullFailed';
  const auth = await deps.registryAuth(image, connection, { reason });
  const access = { auth, signal: cancellationSignal(), reason } as const;
  const found = await openImage(deps.registries.open(image, access), referenceIn(image), access);
  if (found === undefined) return `image ${image} of ${packaging} is gone`;
  if (found.manifest.digest !== packed.digest) return `image ${image} is another one than ${packaging} made`;
  return changedBase(deps, found, spec);
}

/** Why an image would be another one if it was made now: its base. The labels say which one that was. */
async function changedBase(
  deps: PipelinePackagingDeps,
  image: Image,
  { targets }: PackagingSpec,
): Promise<string | undefined> {
  const labels = image.config.config?.Labels ?? {};
  const name = labels['org.opencontainers.image.base.name'];
  if (name === undefined) return undefined;
  const reference = mirrored(name, deps.imageMirrors);
  const pull = targets.find((target) => sameName('packagerTarget', target.name, 'container-pull'));
  const connection = pull && (await requireConnection(deps, pull.connectionName));
  const reason = 'ImagePullFailed';
  const auth = await deps.registryAuth(reference, connection, { reason });
  const digest = await baseDigest(deps, { reference, auth, signal: cancellationSignal(), reason });
  if (digest === labels['org.opencontainers.image.base.digest']) return undefined;
  return `base image ${name} changed`;
}
