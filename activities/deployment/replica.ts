import type { EngineDriver } from '../../platform/engines/driver.js';
import type { Replica } from '../../lifecycle/kinds/endpoint.js';
import { readAtMost } from '../shared/read-at-most.js';
import { containerName } from '../../platform/kinds/ids.js';
import { withOwnSignal } from '../../platform/kinds/own-signal.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import type { Revision } from '../../lifecycle/kinds/revision.js';
import { pinned } from './image-pin.js';

/** `r0`, `r1`, ...: the part of a replica's container name, and its name in logs. */
export const replicaName = (index: number): string => `r${index}`;

/** The observed state of a replica. */
export type ReplicaView =
  { phase: 'running'; replica: Replica } | { phase: 'exited'; exitCode: number } | { phase: 'absent' | 'paused' };

/** Starts a replica, or finds it running. A paused one goes on, and one that has exited is created again. */
export async function startReplica(engine: EngineDriver, revision: Revision, index: number): Promise<void> {
  const { ref, image, imageDigest: digest, imageId, limits, port, egress = 'none' } = revision;
  const part = replicaName(index);
  const handle = { name: containerName('deployment', ref, part) };
  const phase = (await engine.state(handle))?.phase;
  if (phase === 'paused') return engine.unpause(handle);
  if (phase === 'exited') await engine.remove(handle);
  await engine.create({
    ...handle,
    image: pinned({ image, digest, imageId }),
    command: [],
    env: {},
    labels: { kind: 'deployment', id: ref.id, uid: ref.uid, generation: String(ref.generation), part },
    network: egress,
    publish: [port],
    volumes: ['/tmp'],
    limits,
  });
  await engine.start(handle);
}

/** The numbers of the replicas of a revision that have a container. */
export async function findReplicas(engine: EngineDriver, { ref }: Revision): Promise<number[]> {
  const { id, uid, generation } = ref;
  const found = await engine.find({ kind: 'deployment', id, uid, generation: String(generation) });
  return found.map(({ labels }) => Number(labels.part?.slice(1))).sort((one, other) => one - other);
}

export async function viewReplica(engine: EngineDriver, { ref, port }: Revision, index: number): Promise<ReplicaView> {
  const name = containerName('deployment', ref, replicaName(index));
  const state = await engine.state({ name });
  if (state === undefined || state.phase === 'created') return { phase: 'absent' };
  if (state.phase === 'paused') return { phase: 'paused' };
  if (state.phase === 'exited') return { phase: 'exited', exitCode: state.exitCode };
  const address = state.ports[port];
  return address === undefined
    ? { phase: 'absent' }
    : { phase: 'running', replica: { name, url: `http://${address}` } };
}

/** Paths by which a replica shows that it is ready, and what it is. */
const PATHS = {
  'platform-ml-server': { ready: '/healthz/ready', info: '/api/model/info' },
  'tensor-server': { ready: '/v2/health/ready', info: '/v2' },
} as const;

const pathsOf = ({ predictor }: Pick<Revision, 'predictor'>) => PATHS[predictor ?? 'platform-ml-server'];

/** Whether the model server says that it can take requests. No redirect is followed: it is a user's code that answers. */
export async function isReady(
  revision: Pick<Revision, 'predictor'>,
  { url }: Replica,
  signal: AbortSignal,
): Promise<boolean> {
  return withOwnSignal({ parent: signal, limitMs: 2_000 }, async (own) => {
    const reply = await fetch(`${url}${pathsOf(revision).ready}`, { signal: own, redirect: 'manual' });
    await reply.body?.cancel();
    return reply.ok;
  }).catch(() => false);
}

/** The document is copied into the endpoint, which each gateway reads every second. */
const MAX_INFO_BYTES = 2 ** 20;

/** The OpenAPI document of the model. @throws run_failed, reason ProbeFailed, when the image answers with another thing */
export async function readInfo(
  revision: Pick<Revision, 'predictor' | 'modelName' | 'modelVersion'>,
  { name, url }: Replica,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const { info: path } = pathsOf(revision);
  const { status, text } = await withOwnSignal({ parent: signal, limitMs: 10_000 }, async (own) => {
    const reply = await fetch(`${url}${path}`, { signal: own, redirect: 'manual' });
    return { status: reply.status, text: await readAtMost(reply.body ?? [], MAX_INFO_BYTES) };
  });
  const isGood = status >= 200 && status < 300;
  const info = isGood && text !== undefined ? parseObject(text) : undefined;
  // The protocol of tensors has no such document: the model is described under /v2/models.
  if (info !== undefined && revision.predictor === 'tensor-server') return tensorInfo(revision);
  if (info !== undefined) return info;
  const what = isGood ? `its ${path} is no JSON object of at most ${MOST_LEVELS} levels` : `status ${status}`;
  const why = text === undefined ? `its ${path} is longer than ${MAX_INFO_BYTES} bytes` : what;
  throw runFailed({ reason: 'ProbeFailed', message: `${name} does not describe its model (${why})` });
}

const tensorInfo = ({ modelName, modelVersion }: Pick<Revision, 'modelName' | 'modelVersion'>) => ({
  openapi: '3.0.3',
  info: { title: modelName, version: modelVersion },
  paths: {},
});

const MOST_LEVELS = 60;

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && isStorable(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Databases refuse documents that are deeper than 100 levels, and names with a NUL: each attempt would fail again. */
function isStorable(value: unknown, levels = MOST_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const entries = Object.entries(value);
  return levels > 0 && entries.every(([name, each]) => !name.includes('\0') && isStorable(each, levels - 1));
}

/** The last 50 lines of a replica, at most 8 KiB. */
export async function lastLines(engine: EngineDriver, { ref }: Revision, index: number): Promise<string> {
  const lines: string[] = [];
  const handle = { name: containerName('deployment', ref, replicaName(index)) };
  for await (const { text } of engine.logs(handle, { follow: false })) {
    lines.push(text);
    if (lines.length > 50) lines.shift();
  }
  return lines.join('\n').slice(-8_192);
}

/** The line that most likely says why. */
export const lastOf = (tail: string): string => tail.split('\n').findLast((line) => line.trim() !== '') ?? 'no output';
