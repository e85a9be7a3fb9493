import type { ContainerSpec, EngineDriver, Handle } from '../../platform/engines/driver.js';
import { containerName } from '../../platform/kinds/ids.js';
import { type Reason, runFailed } from '../../platform/kinds/reasons.js';
import { toolchainProgram } from '../../lifecycle/kinds/toolchain-program.js';
import type { Training } from '../../lifecycle/kinds/training.js';
import { ENVIRONMENT_LOCK } from '../shared/environment-image.js';
import { jobEnvironment, type JobExit, WORKSPACE } from '../shared/job.js';
import { containerLimits } from '../shared/limits.js';
import { secretNames } from './job-secrets.js';
import { readOutcome } from './outcome.js';
import type { PreparedSource } from './training-source.js';

/** The part of the training that the runner reads; never a secret. */
export function jobDescription({ id, generation, spec }: Training, source: PreparedSource): object {
  const { model, entrypoint, workDir, hyperParameters, envs, args } = spec;
  const { commit, dataDigests } = source;
  return {
    ...{
      kind: 'ModelTraining',
      id,
      generation,
      model: { name: model.name, version: model.version },
      entrypoint,
      workDir,
    },
    ...{
      hyperParameters,
      envs: envs.filter(({ valueFrom }) => valueFrom === undefined),
      secrets: secretNames({ spec }),
      args,
      commit,
      dataDigests,
      sourceDir: `${WORKSPACE}/src`,
      outputDir: `${WORKSPACE}/output`,
      lockFile: ENVIRONMENT_LOCK,
    },
  };
}

interface Program {
  /** The toolchain's. */
  entrypoint: string | undefined;
  image: string;
  /** Environment of every job of the toolchain. */
  additional: Record<string, string>;
}

/** The container that runs the user's program. */
export function jobContainer(training: Training, { entrypoint, image, additional }: Program): ContainerSpec {
  const { spec } = training;
  const { command, isPlatform } = toolchainProgram(entrypoint);
  const job = `${WORKSPACE}/job.json`;
  const limits = containerLimits(spec.resources);
  return {
    ...commonContainer(training, image),
    command: [...command, ...(isPlatform ? ['train', '--job', job] : [job])],
    env: {
      ...additional,
      ...Object.fromEntries(
        spec.envs.filter(({ valueFrom }) => valueFrom === undefined).map(({ name, value }) => [name, value]),
      ),
      ...jobEnvironment(limits.cpus),
      MODEL_NAME: spec.model.name,
      MODEL_VERSION: spec.model.version,
    },
    network: 'internet',
  };
}

/** The container in which the finished artifact answers its own sample. */
export function checkContainer(training: Training, image: string): ContainerSpec {
  return {
    ...commonContainer(training, image, 'check'),
    command: ['python3', '-m', 'slipway_runner', 'check', '--artifact', `${WORKSPACE}/artifact`],
    env: jobEnvironment(containerLimits(training.spec.resources).cpus),
    network: 'none',
  };
}

function commonContainer({ id, uid, generation, spec }: Training, image: string, part?: string) {
  const labels = { kind: 'training', id, uid, generation: String(generation), ...(part === undefined ? {} : { part }) };
  const name = containerName('training', { id, uid, generation }, part);
  return { name, image, labels, limits: containerLimits(spec.resources) };
}

/**
 * Exit codes of the runner (guide serving, section 2) as the reasons that clients know.
 * @param logTail the last lines of the job: the message quotes the last one of the user's program
 */
export async function jobFailed(
  engine: EngineDriver,
  handle: Handle,
  { exitCode, outOfMemory }: JobExit,
  { reason = 'ToolchainFailed', logTail }: { reason?: Reason; logTail: string },
): Promise<Error> {
  const outcome = await readOutcome(engine, handle);
  // The runner sees the kernel's own count inside its container; the engine has to guess on older hosts.
  if (outOfMemory || outcome.reason === 'OutOfMemory') {
    return runFailed({ reason: 'OutOfMemory', message: 'the container passed its memory limit', exitCode });
  }
  if (exitCode === 137) {
    return runFailed({ reason: 'Evicted', message: 'the container was killed from outside', exitCode });
  }
  const userExitCode = outcome.userExitCode ?? exitCode;
  // The runner explains its own failures; for the user's program it knows only the exit code.
  const explained = outcome.reason === 'UserCodeFailed' ? undefined : outcome.message;
  const said = lastWords(logTail);
  const ended = `the program ended with exit code ${userExitCode}${said === undefined ? '' : `: ${said}`}`;
  return runFailed({ reason, message: explained ?? ended, exitCode: userExitCode });
}

const OURS = /^((INFO )?=== |slipway: )/;
const LONGEST_WORDS = 500;

/** The last line that is not the runner's own: of a traceback, the line that names the error. */
function lastWords(logTail: string): string | undefined {
  const line = logTail.split('\n').findLast((each) => each.trim() !== '' && !OURS.test(each));
  return line?.trim().slice(0, LONGEST_WORDS);
}
