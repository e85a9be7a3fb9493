import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { ContainerSpec, EngineDriver, Handle } from '../../platform/engines/driver.js';
import { containerName } from '../../platform/kinds/ids.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import { CONTAINER_UID, tarFolder } from '../shared/archive.js';
import {
  jobEnvironment,
  OUTPUT,
  removeUnlessAborted,
  startJob,
  superviseJob,
  takeFolder,
  WORKSPACE,
} from '../shared/job.js';
import { containerLimits } from '../shared/limits.js';
import { readText } from '../training/artifact.js';
import type { ImageAssembly, ImageAssemblyDeps } from './image-request.js';

const PLAN = 'image.json';
const MAX_PLAN_BYTES = 2 ** 20;
const POLL_MS = 500;
/** Longer than any limit of a packaging, which ends the step first. */
const LIMIT_SECONDS = 24 * 3_600;

const line = z.string().max(10_000);
const Plan = z.strictObject({
  /** Name of the image that the new one is made upon. */
  base: line.min(1),
  entrypoint: z.array(line).min(1).max(1_000).optional(),
  env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), line).default({}),
  /** Absent: the image cannot be deployed by its label alone. */
  predictor: z.enum(['platform-ml-server', 'tensor-server']).optional(),
  port: z.int().min(1_024).max(65_535).optional(),
  /** Seconds. */
  timeout: z.int().min(1).max(3_600).optional(),
});
/** The part of an image that its packager decides, beside the files. */
export type ImagePlan = z.infer<typeof Plan>;

interface PackagerJob {
  /** Folder of the unpacked artifact. */
  artifact: string;
  /** The description that the program gets. */
  job: object;
}

/**
 * Runs the program of an integration in a job container, with the artifact under /workspace/artifact and the description
 * as its last argument.
 * @returns what it wrote: the plan, and the folder of the files. @throws run_failed: PackagerFailed, OutOfMemory, ImagePullFailed
 */
export async function runPackager(
  { engine }: ImageAssemblyDeps,
  assembly: ImageAssembly,
  { artifact, job }: PackagerJob,
): Promise<{ plan: ImagePlan; folder: string }> {
  const { step, scratch } = assembly;
  const { log, signal } = step;
  const spec = packagerContainer(assembly);
  await engine.ensureImage(spec.image, undefined, signal);
  const start = () => startJob(engine, spec, (created) => fill(engine, created, { artifact, job, scratch }));
  const handle = await start();
  try {
    const watch = { log, signal, beat: () => undefined, pollMs: POLL_MS, limitSeconds: LIMIT_SECONDS };
    const { exitCode, outOfMemory } = await superviseJob({
      ...{ engine, handle, resubmit: start, repeatKilled: true },
      ...watch,
    });
    if (outOfMemory)
      throw runFailed({ reason: 'OutOfMemory', message: 'the packager passed its memory limit', exitCode });
    if (exitCode !== 0) {
      const message = `the packager ended with exit code ${exitCode}: its last lines are in the log`;
      throw runFailed({ reason: 'PackagerFailed', message, exitCode, logTail: await log.tail() });
    }
    return await takeOutput(engine, handle, join(scratch, 'output'));
  } finally {
    await removeUnlessAborted(engine, handle, signal);
  }
}

function packagerContainer({ ref, step: { packaging }, integration }: ImageAssembly): ContainerSpec {
  const { entrypoint = '', defaultImage = '' } = integration?.spec ?? {};
  const limits = containerLimits(packaging.spec.resources);
  return {
    name: containerName('packaging', ref, 'pack'),
    image: packaging.spec.image ?? defaultImage,
    command: [...entrypoint.split(/\s+/).filter((word) => word !== ''), `${WORKSPACE}/job.json`],
    env: jobEnvironment(limits.cpus),
    labels: { kind: 'packaging', id: ref.id, uid: ref.uid, generation: String(ref.generation), part: 'pack' },
    network: 'internet',
    limits,
  };
}

async function fill(
  engine: EngineDriver,
  created: Handle,
  { artifact, job, scratch }: PackagerJob & { scratch: string },
): Promise<void> {
  const root = join(scratch, 'workspace');
  for (const folder of ['output', 'tmp']) await mkdir(join(root, folder), { recursive: true });
  await writeFile(join(root, 'job.json'), JSON.stringify(job));
  const put = (folder: string, prefix: string): Promise<void> =>
    engine.putArchive(created, WORKSPACE, tarFolder(folder, { uid: CONTAINER_UID, prefix }));
  await put(root, '.');
  await put(artifact, 'artifact');
}

async function takeOutput(
  engine: EngineDriver,
  handle: Handle,
  output: string,
): Promise<{ plan: ImagePlan; folder: string }> {
  await takeFolder(engine, handle, OUTPUT, output).catch((err: unknown) => {
    if (!(err instanceof SlipwayError) || err.code !== 'validation_failed') throw err;
    throw runFailed(
      { reason: 'PackagerFailed', message: `the output of the packager is refused: ${err.message}` },
      err,
    );
  });
  const text = await readText(output, PLAN, MAX_PLAN_BYTES);
  const plan = Plan.safeParse(parseJson(text ?? ''));
  if (!plan.success) {
    const [issue] = plan.error.issues;
    const why = text === undefined ? 'is missing' : `does not fit: ${issue?.path.join('.') || PLAN}: ${issue?.message}`;
    throw runFailed({ reason: 'PackagerFailed', message: `${OUTPUT}/${PLAN} of the packager ${why}` });
  }
  await mkdir(join(output, 'app'), { recursive: true });
  return { plan: plan.data, folder: join(output, 'app') };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
