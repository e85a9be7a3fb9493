import type { EngineDriver } from '../engines/driver.js';
import type { Replica } from '../resources/endpoint.js';
import { containerName } from '../resources/ids.js';
import type { Revision } from '../resources/revision.js';

/** `r0`, `r1`, ...: the part of a replica's container name, and its name in logs. */
export const replicaName = (index: number): string => `r${index}`;

/** What a look at a replica found. */
export type ReplicaView =
  { phase: 'running'; replica: Replica } | { phase: 'exited'; exitCode: number } | { phase: 'absent' };

/** Starts a replica, or finds it running. One that ended is made anew. */
export async function startReplica(engine: EngineDriver, revision: Revision, index: number): Promise<void> {
  const { ref, image, limits, port } = revision;
  const part = replicaName(index);
  const handle = { name: containerName('deployment', ref, part) };
  if ((await engine.state(handle))?.phase === 'exited') await engine.remove(handle);
  await engine.create({
    ...handle,
    image,
    command: [],
    env: {},
    labels: { kind: 'deployment', id: ref.id, uid: ref.uid, generation: String(ref.generation), part },
    network: 'isolated',
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

/** Whether the model server says that it can take requests. */
export async function isReady({ url }: Replica, signal: AbortSignal): Promise<boolean> {
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(2_000)]);
  return fetch(`${url}/healthz/ready`, { signal: timeout }).then(
    async (reply) => {
      await reply.body?.cancel();
      return reply.ok;
    },
    () => false,
  );
}

/** The OpenAPI document of the model. */
export async function readInfo({ url }: Replica, signal: AbortSignal): Promise<Record<string, unknown>> {
  const reply = await fetch(`${url}/api/model/info`, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)]),
  });
  return (await reply.json()) as Record<string, unknown>;
}
