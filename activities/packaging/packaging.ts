import { join } from 'node:path';
import { cancellationSignal } from '@temporalio/activity';
import type { EngineDriver } from '../../platform/engines/driver.js';
import { sameWord } from '../../lifecycle/kinds/aliases.js';
import type { Connection } from '../../lifecycle/kinds/connection.js';
import { containerName, logPrefix, type RunRef } from '../../platform/kinds/ids.js';
import { fullImageName } from '../../lifecycle/kinds/image-name.js';
import { packagingStep } from '../../lifecycle/kinds/lineage-steps.js';
import type { PackagingIntegration } from '../../lifecycle/kinds/packaging-integration.js';
import type { Packaging, PackagingStatus } from '../../lifecycle/kinds/packaging.js';
import { type Failure, runFailed } from '../../platform/kinds/reasons.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { LineageLog } from '../../lifecycle/stores/lineage.js';
import type { LogStore, LogWriter } from '../../platform/stores/logs.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import { type Artifact, openArtifact } from '../training/artifact.js';
import { type BaseImage, inspectBase } from './base-image.js';
import { whileBeating } from '../shared/heartbeat.js';
import { findIntegration } from '../shared/integrations.js';
import { removeUnlessAborted } from '../shared/job.js';
import { containerLimits } from '../shared/limits.js';
import { lineSink } from '../shared/log-sink.js';
import { ARTIFACT_FOLDER, buildModelImage } from './model-image.js';
import { comparePackages, type PackageDifference } from './packages.js';
import { mergeArguments } from './packaging-arguments.js';
import type { RestArguments } from '../../lifecycle/kinds/packaging-arguments.js';
import { mirrored, registryAuth } from './registry.js';
import { ensureServingEnvironment } from './serving-environment.js';
import { smokeTest } from './smoke-test.js';
import { advance, claim, currentResource, recordEnd } from '../shared/status.js';
import { logDuration } from '../shared/log-duration.js';
import { withScratchFolder } from '../training/workspace.js';

export interface PackagingDeps {
  packagings: ResourceStore<Packaging>;
  lineage: Pick<LineageLog, 'keep'>;
  integrations: ResourceStore<PackagingIntegration>;
  connections: ResourceStore<Connection>;
  engine: EngineDriver;
  logs: LogStore;
  /** The platform's bucket: caches only. */
  objects: ObjectStore;
  openStore: (connection: Connection) => Promise<ObjectStore>;
  openSecret: (sealed: string) => string;
  /** Folder of the Python package `slipway_server`. */
  server: string;
  builderImage: string;
  imageMirrors: Readonly<Record<string, string>>;
  readySeconds: number;
  now?: () => Date;
}

export interface BuiltImage {
  /** Full name with tag. */
  image: string;
  /** Image with everything but the model. */
  environment: string;
  sizeBytes: number;
  /** Both absent in histories of an earlier release. */
  imageId?: string;
  artifactDigest?: string;
}

export interface PackagingOutcome {
  ref: RunRef;
  built: BuiltImage;
  /** sha256:... of the manifest in the registry. */
  digest: string;
}

export type PackagingActivities = ReturnType<typeof createPackagingActivities>;

/** Effects of a packaging with `container-rest`, each of them repeatable. */
export function createPackagingActivities(deps: PackagingDeps) {
  const { packagings, connections, engine, logs, objects, now = () => new Date() } = deps;

  /** Runs a step with its log open and its heartbeat going. */
  async function step<T>(
    ref: RunRef,
    name: string,
    work: (log: LogWriter, entity: Packaging) => Promise<T>,
  ): Promise<T> {
    const entity = await currentResource(packagings, ref);
    const log = await logs.writer(logPrefix('packaging', ref));
    await log.step(name);
    try {
      return await whileBeating(() => work(log, entity));
    } finally {
      await log.flush();
    }
  }
  const say = (log: LogWriter) => lineSink(log, now);

  const requireConnection = async (id: string): Promise<Connection> => {
    const connection = await connections.get(id);
    if (connection) return connection;
    throw runFailed({ reason: 'PackagerFailed', message: `connection "${id}" was deleted meanwhile` });
  };
  const target = async ({ spec }: Packaging, name: string): Promise<Connection | undefined> => {
    const found = spec.targets.find((each) => sameWord('packagerTarget', each.name, name));
    return found && requireConnection(found.connectionName);
  };
  const openStoreOf = async ({ spec }: Packaging) => deps.openStore(await requireConnection(spec.outputConnection));

  const baseOf = async (entity: Packaging, ref: RunRef, args: RestArguments): Promise<BaseImage> => {
    const image = mirrored(args.dockerfileBaseImage, deps.imageMirrors);
    const pull = await target(entity, 'container-pull');
    const auth = registryAuth(image, pull, deps.openSecret);
    const facts = await engine.ensureImage(image, auth, cancellationSignal());
    return inspectBase(engine, objects, { kind: 'packaging', ref, image, facts, signal: cancellationSignal() });
  };

  return {
    /** @throws as `claim` */
    async claimPackaging(ref: RunRef): Promise<void> {
      await claim(packagings, 'packaging', ref, now);
    },

    /** Environment, then the model on top. @throws run_failed: ArtifactNotFound, ImagePullFailed, PackagerFailed */
    async buildImage({ ref, uuid }: { ref: RunRef; uuid: string }): Promise<BuiltImage> {
      return step(ref, 'build', async (log, entity) => {
        await advance(packagings, ref, 'running', { startedAt: now().toISOString() }, now);
        const args = mergeArguments(
          entity,
          await findIntegration(deps.integrations, 'packager', entity.spec.integrationName),
        );
        const push = await target(entity, 'container-push');
        if (!push) throw runFailed({ reason: 'PackagerFailed', message: 'the target container-push is missing' });
        const sink = say(log);
        return withScratchFolder(async (context) => {
          const artifact = await logDuration(sink, 'artifact fetched', async () =>
            openArtifact(await openStoreOf(entity), entity.spec.artifactName, join(context, ARTIFACT_FOLDER)),
          );
          const base = await logDuration(sink, 'base image inspected', () => baseOf(entity, ref, args));
          const difference = comparePackages(artifact.lock, base.packages);
          reportDifference(sink, base, difference);
          const common = { log: sink, signal: cancellationSignal(), base };
          const { server, builderImage } = deps;
          const environment = await logDuration(sink, 'environment ready', () =>
            ensureServingEnvironment(engine, { ...common, difference, server, builderImage }),
          );
          const image = imageName(args, artifact, push, uuid);
          const request = { ...common, artifact, environment, image, serving: args, packagingId: ref.id, context };
          const { id, sizeBytes } = await logDuration(sink, 'image built', () => buildModelImage(engine, request));
          return { image, environment, sizeBytes, imageId: id, artifactDigest: artifact.sha256 };
        });
      });
    },

    /** Starts the image without network and compares its answer with the recorded one. @throws run_failed, SelfCheckFailed */
    async testImage({ ref, image }: { ref: RunRef; image: string }): Promise<void> {
      await step(ref, 'check', async (log, entity) => {
        const sink = say(log);
        const spec = {
          name: containerName('packaging', ref, 'smoke'),
          image,
          command: [],
          env: {},
          labels: { kind: 'packaging', id: ref.id, uid: ref.uid, generation: String(ref.generation), part: 'smoke' },
          network: 'none' as const,
          volumes: ['/tmp'],
          limits: containerLimits(entity.spec.resources),
        };
        const { handle } = await logDuration(sink, 'container created', () => engine.create(spec));
        try {
          await logDuration(sink, 'container started', () => engine.start(handle));
          const watch = { readySeconds: deps.readySeconds, signal: cancellationSignal() };
          sink(await logDuration(sink, 'sample answered', () => smokeTest(engine, handle, watch)));
        } catch (err) {
          for await (const line of engine.logs(handle, { follow: false })) await log.append(line);
          throw err;
        } finally {
          await removeUnlessAborted(engine, handle, cancellationSignal());
        }
      });
    },

    /** @returns the manifest's digest. @throws run_failed, PushFailed */
    async pushImage({ ref, image }: { ref: RunRef; image: string }): Promise<string> {
      return step(ref, 'push', async (log, entity) => {
        const push = await target(entity, 'container-push');
        const sink = say(log);
        const auth = registryAuth(image, push, deps.openSecret);
        const pushed = () => engine.push(image, auth, sink, cancellationSignal());
        const { digest } = await logDuration(sink, 'image pushed', pushed);
        sink(`INFO ${image} pushed as ${digest}`);
        return digest;
      });
    },

    /** The final status, then the end of the log: who waits on the log reads the entity after it. */
    async recordPackagingSucceeded({ ref, built, digest }: PackagingOutcome): Promise<void> {
      const results = [
        { name: 'image', value: built.image },
        { name: 'imageDigest', value: digest },
        { name: 'imageSize', value: String(built.sizeBytes) },
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
      for (const part of ['base', 'smoke']) await engine.remove({ name: containerName('packaging', ref, part) });
    },
  };
}

function imageName(
  { imageName: template }: RestArguments,
  { name, version }: Artifact,
  push: Connection,
  uuid: string,
): string {
  try {
    return fullImageName(template, { Name: name, Version: version, RandomUUID: uuid }, push.spec.uri);
  } catch (err) {
    throw runFailed({ reason: 'PackagerFailed', message: err instanceof Error ? err.message : String(err) }, err);
  }
}

function reportDifference(
  say: (text: string) => void,
  base: BaseImage,
  { added, changed, kept }: PackageDifference,
): void {
  say(
    `INFO base ${base.image}, Python ${base.python}: ${kept.length} packages kept, ${changed.length} changed, ${added.length} added`,
  );
  if (changed.length > 0) say(`INFO the model's version wins: ${changed.join(', ')}`);
  if (added.length > 0) say(`INFO added: ${added.join(', ')}`);
}
