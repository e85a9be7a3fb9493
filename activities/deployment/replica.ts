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
  { phase: 'running'; replica: Replica } | { phase: 'exited'; exitCode: number } | { phase: 'absent' };

/** Starts a replica, or finds it running. One that has exited is created again. */
export async function startReplica(engine: EngineDriver, revision: Revision, index: number): Promise<void> {
  const { ref, image, imageDigest: digest, imageId, limits, port, egress = 'none' } = revision;
  const part = replicaName(index);
  const handle = { name: containerName('deployment', ref, part) };
  if ((await engine.state(handle))?.phase === 'exited') await engine.remove(handle);
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

export async function viewReplica(engine: EngineDriver, { ref, port }: Revision, index: number): Promise<ReplicaView> {
  const name = containerName('deployment', ref, replicaName(index));
  const state = await engine.state({ name });
  if (state === undefined || state.phase === 'created') return { phase: 'absent' };
  if (state.phase === 'exited') return { phase: 'exited', exitCode: state.exitCode };
  const address = state.ports[port];
  return address === undefined
    ? { phase: 'absent' }
    : { phase: 'running', replica: { name, url: `http://${address}` } };
}

/** Whether the model server says that it can take requests. No redirect is followed: it is a user's code that answers. */
export async function isReady({ url }: Replica, signal: AbortSignal): Promise<boolean> {
  return withOwnSignal({ parent: signal, limitMs: 2_000 }, async (own) => {
    const reply = await fetch(`${url}/healthz/ready`, { signal: own, redirect: 'manual' });
    await reply.body?.cancel();
    return reply.ok;
  }).catch(() => false);
}

/** The document is copied into the endpoint, which each gateway reads every second. */
const MAX_INFO_BYTES = 2 ** 20;

/** The OpenAPI document of the model. @throws run_failed, reason ProbeFailed, when the image answers with another thing */
export async function readInfo({ name, url }: Replica, signal: AbortSignal): Promise<Record<string, unknown>> {
  const { status, text } = await withOwnSignal({ parent: signal, limitMs: 10_000 }, async (own) => {
    const reply = await fetch(`${url}/api/model/info`, { signal: own, redirect: 'manual' });
    return { status: reply.status, text: await readAtMost(reply.body ?? [], MAX_INFO_BYTES) };
  });
  const info = status >= 200 && status < 300 && text !== undefined ? parseObject(text) : undefined;
  if (info !== undefined) return info;
  const why = text === undefined ? `its /api/model/info is longer than ${MAX_INFO_BYTES} bytes` : `status ${status}`;
  throw runFailed({ reason: 'ProbeFailed', message: `${name} does not describe its model (${why})` });
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
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
