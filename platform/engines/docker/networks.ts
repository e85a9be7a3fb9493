import { createHash } from 'node:crypto';
import type { EngineContext } from './context.js';
import { call, statusOf, textOf, toEngineError } from './errors.js';
import { managedLabels } from './labels.js';
import { requestStream } from './request.js';

/** Host interfaces of our networks begin so: a firewall rule on the engine's host can name them all (`slipway+`). */
export const BRIDGE_PREFIX = 'slipway';

/**
 * Makes the network of an isolated container: outgoing traffic, no route to other containers.
 * Docker keeps the containers of one network apart; podman 4 cannot, but it keeps networks apart, so there each
 * container has its own (2 ms, and the address pool holds thousands).
 * @returns the name of the network
 */
export async function ensureIsolatedNetwork(context: EngineContext, container: string): Promise<string> {
  const { podman } = await context.host();
  const name = podman ? container : context.networkName;
  const create = podman ? createPodmanNetwork : createDockerNetwork;
  try {
    await create(context, name);
  } catch (err) {
    if (statusOf(err) !== 409 && !/already (exists|used)/.test(textOf(err))) {
      throw toEngineError(err, `create network "${name}"`);
    }
  }
  return name;
}

/** Removes a network that belongs to one container alone. */
export async function removeOwnNetwork(context: EngineContext, container: string): Promise<void> {
  if (!(await context.host()).podman) return;
  await call(`remove network "${container}"`, () => context.docker.getNetwork(container).remove(), { fine: [404] });
}

// The Docker-compatible call of podman 4 drops the options of a network; its own call keeps them. No name service:
// with one, a container could look up the others.
async function createPodmanNetwork(context: EngineContext, name: string): Promise<void> {
  const answer = await requestStream(context.docker, {
    method: 'POST',
    path: '/v4.0.0/libpod/networks/create',
    body: {
      name,
      driver: 'bridge',
      network_interface: bridgeName(name),
      dns_enabled: false,
      options: { isolate: 'true' },
      labels: managedLabels(context),
    },
  });
  answer.resume();
}

async function createDockerNetwork(context: EngineContext, name: string): Promise<void> {
  // Docker accepts two networks of one name unless it is asked to look.
  await context.docker.createNetwork({
    Name: name,
    CheckDuplicate: true,
    Driver: 'bridge',
    Options: {
      'com.docker.network.bridge.enable_icc': 'false',
      'com.docker.network.bridge.name': bridgeName(name),
    },
    Labels: managedLabels(context),
  });
}

/** Names of interfaces have at most 15 characters. */
function bridgeName(network: string): string {
  return (
    BRIDGE_PREFIX +
    createHash('sha256')
      .update(network)
      .digest('hex')
      .slice(0, 15 - BRIDGE_PREFIX.length)
  );
}
