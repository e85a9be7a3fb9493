import { cancellationSignal } from '@temporalio/activity';
import type { EngineDriver } from '../../platform/engines/driver.js';
import type { Connection } from '../../lifecycle/kinds/connection.js';
import type { RunRef } from '../../platform/kinds/ids.js';
import type { PipelineRun } from '../../lifecycle/kinds/pipeline-run.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import type { ToolchainIntegration } from '../../lifecycle/kinds/toolchain-integration.js';
import { acceptTraining } from '../../lifecycle/validation/training-validation.js';
import { freshTraining, type Training, type TrainingSpec } from '../../lifecycle/kinds/training.js';
import type { ValidationContext } from '../../lifecycle/validation/validation.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { PipelineRunStore } from '../../lifecycle/stores/pipeline-runs.js';
import { digestOf, type Inputs, type ReuseStore } from '../../lifecycle/stores/reuse.js';
import { resolveCommit } from '../training/git.js';
import { findIntegration } from '../shared/integrations.js';
import { concludeChild, putChild } from './pipeline-child.js';
import { jobHolding } from '../../lifecycle/stores/holdings.js';
import { type PipelineQuotaDeps, withinQuota } from './pipeline-quota.js';
import { whileBeating } from '../shared/heartbeat.js';
import { messageOf, withPatience } from '../shared/patience.js';
import { fillIn, noteStep, rendererOf } from './pipeline-steps.js';
import { digestOfListing, findReusable } from './reuse.js';
import { currentResource } from '../shared/status.js';
import { gitSource, openAt, requireConnection, type SourceDeps } from '../training/training-source.js';

/** A training that can stand for another one of the same inputs. */
export interface TrainedModel {
  /** Id of the training. */
  training: string;
  modelName: string;
  modelVersion: string;
  artifactName: string;
  outputConnection: string;
  metrics: Record<string, number>;
}

export interface PipelineTrainingDeps extends PipelineQuotaDeps, SourceDeps {
  pipelineRuns: ResourceStore<PipelineRun>;
  pipelineRunStore: PipelineRunStore;
  trainings: ResourceStore<Training>;
  toolchains: ResourceStore<ToolchainIntegration>;
  connections: ResourceStore<Connection>;
  trainingReuse: ReuseStore<TrainedModel>;
  engine: EngineDriver;
  validationContext: ValidationContext;
  now?: () => Date;
}

/** The next step of the workflow: a child to run, or a result that exists already. */
export interface Prepared {
  child?: RunRef;
  reusedFrom?: string;
}

/** A step of a run, and the child that worked for it in this generation of the run. */
export interface Concluding {
  ref: RunRef;
  child?: RunRef | undefined;
}

/** The first two steps of a pipeline's run: which commit, then its training. */
export function createPipelineTrainingActivities(deps: PipelineTrainingDeps) {
  const { pipelineRuns, pipelineRunStore, trainings, trainingReuse, now = () => new Date() } = deps;

  return {
    /** @returns the commit that the run trains; `''` when the source is object storage */
    async resolvePipelineSource(ref: RunRef): Promise<string> {
      const run = await noteStep(deps, ref, 'resolve', { state: 'running' });
      const { training } = run.spec.template;
      const { vcs } = await fillIn(async () => rendererOf(run).render(training.algorithmSource));
      const resolved = async () => (vcs.connection === undefined ? '' : commitOf(deps, vcs.connection, vcs.reference));
      const commit = await whileBeating(() => withPatience(messageOf(pipelineRuns, ref), resolved));
      await noteStep(deps, ref, 'resolve', { state: 'succeeded' }, { commit });
      return commit;
    },

    /** Finds a training of equal inputs, or stores the one that must run. @throws run_failed, reason Conflict */
    async preparePipelineTraining(ref: RunRef): Promise<Prepared> {
      const run = await noteStep(deps, ref, 'training', { state: 'running' });
      const spec = await fillIn(() => trainingOf(deps, run));
      const found = await whileBeating(async () =>
        findReusable(trainingReuse, {
          run,
          previous: await pipelineRunStore.get(run.spec.pipeline, run.spec.number - 1),
          step: 'training',
          inputs: await inputsOf(deps, spec, run.status.commit ?? ''),
          lost: (model) => lostArtifact(deps, model),
        }),
      );
      if ('result' in found) {
        const reusedFrom = `training/${found.result.training}`;
        const step = { state: 'succeeded', reusedFrom, inputs: found.key } as const;
        await noteStep(deps, ref, 'training', step, factsOf(found.result));
        return { reusedFrom };
      }
      const wanted = jobHolding({ kind: 'ModelTraining', id: run.id, spec, createdBy: run.createdBy }, 0);
      const work = () =>
        putChild(trainings, run, {
          ...{ kind: 'ModelTraining', word: 'training', spec, freshStatus: freshTraining(now()), now: now() },
          isLost: found.lost?.training === run.id,
        });
      const { ref: child, done } = await withinQuota(deps, run, { wanted, work });
      const step = { child: `training/${child.id}`, reuseMiss: found.miss, inputs: found.key };
      await noteStep(deps, ref, 'training', step);
      return done ? {} : { child };
    },

    /** Takes over what the training came to. @throws run_failed with its reason */
    async concludePipelineTraining({ ref, child }: Concluding): Promise<void> {
      const run = await currentResource(pipelineRuns, ref);
      const step = run.status.steps.find(({ name }) => name === 'training');
      if (step?.state === 'succeeded') return;
      const training = child ? await concludeChild(trainings, child, 'training') : await trainings.get(run.id);
      if (training === undefined) throw runFailed({ reason: 'Conflict', message: `training ${run.id} was removed` });
      const { spec, status } = training;
      const model: TrainedModel = {
        training: training.id,
        modelName: spec.model.name,
        modelVersion: spec.model.version,
        artifactName: status.artifactName ?? '',
        outputConnection: spec.outputConnection,
        metrics: status.metrics ?? {},
      };
      if (step?.inputs !== undefined) await trainingReuse.keep(step.inputs, model);
      await noteStep(deps, ref, 'training', { state: 'succeeded' }, factsOf(model));
    },
  };
}

const factsOf = ({ modelName, modelVersion, artifactName, metrics }: TrainedModel) => ({
  modelName,
  modelVersion,
  artifactName,
  metrics,
});

async function commitOf(deps: PipelineTrainingDeps, id: string, reference: string | undefined): Promise<string> {
  const connection = await requireConnection(deps, id);
  return resolveCommit(gitSource(deps, connection, reference ?? connection.spec.reference, cancellationSignal()));
}

/** The spec of the run's training: the templates filled in, and the very commit that was resolved. */
async function trainingOf({ validationContext }: PipelineTrainingDeps, run: PipelineRun): Promise<TrainingSpec> {
  const rendered = rendererOf(run).render(run.spec.template.training);
  const { vcs, objectStorage } = rendered.algorithmSource;
  const reference = run.status.commit === '' ? {} : { reference: run.status.commit };
  const algorithmSource = { vcs: { ...vcs, ...reference }, objectStorage };
  return (await acceptTraining({ id: run.id, spec: { ...rendered, algorithmSource } }, validationContext)).spec;
}

/** Everything that decides what comes out of a training. The lock of the environment follows from commit and image. */
async function inputsOf(deps: PipelineTrainingDeps, spec: TrainingSpec, commit: string): Promise<Inputs> {
  const { model, toolchain, image = '', workDir, entrypoint, algorithmSource, hyperParameters, args, envs } = spec;
  const { outputConnection } = spec;
  const integration = await findIntegration(deps.toolchains, 'toolchain', toolchain);
  const { connection, path } = algorithmSource.objectStorage;
  const source = connection === undefined ? commit : await digestOfListing(await openAt(deps, connection, path));
  const data: Record<string, string> = {};
  for (const { connection, localPath, remotePath, feedback } of spec.data) {
    // Feedback comes all the time: its rows are not known before the training has made them.
    const digest =
      feedback === undefined
        ? await digestOfListing(await openAt(deps, connection, remotePath))
        : `feedback as of ${(deps.now ?? (() => new Date()))().toISOString()}`;
    const name = `data.${localPath}`;
    data[name] = data[name] === undefined ? digest : digestOf([data[name], digest]); // two may fill one folder
  }
  const parameters = Object.entries(hyperParameters).map(([name, value]) => [`hyperParameters.${name}`, value]);
  return {
    ...{ model: model.name, source, workDir, entrypoint, toolchain, outputConnection, args: JSON.stringify(args) },
    toolchainSettings: digestOf(integration?.spec ?? {}),
    image: (await deps.engine.inspectImage(image))?.id ?? image,
    envs: digestOf(envs),
    ...(Object.fromEntries(parameters) as Record<string, string>),
    ...data,
  };
}

async function lostArtifact(deps: PipelineTrainingDeps, model: TrainedModel): Promise<string | undefined> {
  const bucket = await deps.openStore(await requireConnection(deps, model.outputConnection));
  if (await bucket.head(model.artifactName)) return undefined;
  return `artifact ${model.artifactName} of ${model.training} is gone`;
}
