import { buffer } from 'node:stream/consumers';
import { cancellationSignal } from '@temporalio/activity';
import { pack } from 'tar-stream';
import { z } from 'zod';
import type { EngineDriver } from '../../platform/engines/driver.js';
import { sameName } from '../../lifecycle/kinds/aliases.js';
import { heldOutFigure, type HeldOutMetric } from '../../lifecycle/kinds/held-out.js';
import { containerName, type RunRef } from '../../platform/kinds/ids.js';
import type { GateResult, PipelineRun } from '../../lifecycle/kinds/pipeline-run.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import type { RegistryAuthOf } from '../../lifecycle/stores/registry-auth.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { CONTAINER_UID } from '../shared/archive.js';
import { whileBeating } from '../shared/heartbeat.js';
import { messageOf, withPatience } from '../shared/patience.js';
import { removeUnlessAborted } from '../shared/job.js';
import { containerLimits } from '../shared/limits.js';
import { concludeGates, judgeLimits } from './pipeline-gates.js';
import { noteStep } from './pipeline-steps.js';
import { invokeInside } from '../packaging/smoke-test.js';
import { openAt, requireConnection, type SourceDeps } from '../training/training-source.js';

export interface PipelineHeldOutDeps extends SourceDeps {
  pipelineRuns: ResourceStore<PipelineRun>;
  engine: EngineDriver;
  registryAuth: RegistryAuthOf;
  readySeconds: number;
  now?: () => Date;
}

/** Samples that no training has seen: an invoke request and, row by row, what a perfect model would answer. */
const SampleSet = z
  .object({
    columns: z.array(z.string()).optional(),
    data: z.array(z.array(z.unknown())).min(1),
    expected: z.array(z.unknown()).min(1),
  })
  .refine(({ data, expected }) => data.length === expected.length, 'data and expected must have the same length');
type SampleSet = z.infer<typeof SampleSet>;

const Reply = z.object({ prediction: z.array(z.unknown()) });

const MOST_BYTES = 8 * 2 ** 20;
const FOLDER = '/tmp';
const FILE = 'held-out.json';

/** Lets the image answer a stored sample set, in a container without network. */
export function createPipelineHeldOutActivities(deps: PipelineHeldOutDeps) {
  return {
    /** @throws run_failed: GateFailed when the figure is out of bounds or unknown; SelfCheckFailed */
    async checkPipelineHeldOut(ref: RunRef): Promise<GateResult[]> {
      const run = await noteStep(deps, ref, 'heldOut', { state: 'running' });
      const { metric, min, max } = run.spec.template.gates.heldOut;
      const samples = await readSamples(deps, run);
      const answered = () => predict(deps, ref, run, samples);
      const predicted = await whileBeating(() => withPatience(messageOf(deps.pipelineRuns, ref), answered));
      const figure = heldOutFigure(metric as HeldOutMetric, predicted, samples.expected); // judged when it was stored
      const { passed, message } = judgeLimits({ metric, min, max }, { [metric]: figure });
      const rows = samples.expected.length;
      const results: GateResult[] = [{ gate: 'heldOut', passed, message: `${message}, on ${rows} held-out rows` }];
      await concludeGates(deps, ref, 'heldOut', results);
      return results;
    },
  };
}

async function readSamples(deps: PipelineHeldOutDeps, { spec }: PipelineRun): Promise<SampleSet> {
  const { connection = '', path } = spec.template.gates.heldOut;
  const bucket = await openAt(deps, connection, path);
  for await (const { key, sizeBytes } of bucket.list('')) {
    if (sizeBytes > MOST_BYTES) throw gateFailed(`the samples at "${path}" are larger than ${MOST_BYTES} bytes`);
    const parsed = SampleSet.safeParse(parseJson((await bucket.read(key)).toString('utf8'), path));
    if (parsed.success) return parsed.data;
    throw gateFailed(`the samples at "${path}" are no sample set: ${z.prettifyError(parsed.error)}`);
  }
  throw gateFailed(`connection "${connection}" has no samples at "${path}"`);
}

function parseJson(text: string, path: string | undefined): unknown {
  try {
    return JSON.parse(text);
  } catch (err) {
    throw gateFailed(`the samples at "${path}" are no JSON`, err);
  }
}

async function predict(
  deps: PipelineHeldOutDeps,
  ref: RunRef,
  { spec, status }: PipelineRun,
  { columns, data }: SampleSet,
): Promise<unknown[]> {
  const { engine, readySeconds } = deps;
  const { packaging } = spec.template;
  const image = status.image ?? '';
  const push = packaging.targets.find(({ name }) => sameName('packagerTarget', name, 'container-push'));
  const connection = push && (await requireConnection(deps, push.connectionName));
  const signal = cancellationSignal();
  const auth = await deps.registryAuth(image, connection, { reason: 'ImagePullFailed' });
  await engine.ensureImage(image, auth, signal);
  const { handle } = await engine.create({
    name: containerName('pipeline', ref, 'held-out'),
    image,
    command: [],
    env: {},
    labels: { kind: 'pipeline', id: ref.id, uid: ref.uid, generation: String(ref.generation), part: 'held-out' },
    network: 'none',
    volumes: [FOLDER],
    limits: containerLimits(packaging.resources),
  });
  try {
    const archive = pack();
    archive.entry({ name: FILE, uid: CONTAINER_UID, mode: 0o644 }, JSON.stringify({ columns, data }));
    archive.finalize();
    await engine.putArchive(handle, FOLDER, await buffer(archive));
    await engine.start(handle);
    const got = await invokeInside(engine, handle, { readySeconds, signal, request: `${FOLDER}/${FILE}` });
    const reply = Reply.safeParse(got);
    const rows = reply.data?.prediction.map((row) =>
      Array.isArray(row) && row.length === 1 ? (row[0] as unknown) : row,
    );
    if (rows?.length === data.length) return rows;
    throw gateFailed(`the image answered ${rows?.length ?? 'no'} predictions to ${data.length} held-out rows`);
  } finally {
    await removeUnlessAborted(engine, handle, signal);
  }
}

const gateFailed = (message: string, cause?: unknown) => runFailed({ reason: 'GateFailed', message }, cause);
