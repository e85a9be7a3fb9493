import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectDocker } from '../../../platform/engines/docker/connect.js';
import { createDockerEngine } from '../../../platform/engines/docker/engine.js';

/** Runs an image on its own, without the platform, and asks it once. */
export async function askStandalone(dockerHost: string, image: string, body: unknown): Promise<unknown> {
  const engine = createDockerEngine({ docker: connectDocker(dockerHost) });
  const { handle } = await engine.create({
    name: `slipway-demo-${randomUUID().slice(0, 8)}`,
    image,
    command: [],
    env: {},
    labels: { kind: 'demo' },
    network: 'none',
    publish: [5_000],
    volumes: ['/tmp'],
    limits: { cpus: 1, memoryBytes: 2 ** 30 },
  });
  try {
    await engine.start(handle);
    const state = await engine.state(handle);
    if (state?.phase !== 'running') throw new Error(`the image does not run: ${JSON.stringify(state)}`);
    return await ask(`http://${state.ports[5_000]}`, body);
  } finally {
    await engine.stop(handle, 1_000);
    await engine.remove(handle);
  }
}

async function ask(url: string, body: unknown): Promise<unknown> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const ready = await fetch(`${url}/healthz/ready`).then(
      (reply) => reply.ok,
      () => false,
    );
    if (ready) break;
    if (Date.now() > deadline) throw new Error('the image was not ready within 60 s');
    await sleep(100);
  }
  const headers = { 'content-type': 'application/json' };
  return (await fetch(`${url}/api/model/invoke`, { method: 'POST', headers, body: JSON.stringify(body) })).json();
}
