import { text } from 'node:stream/consumers';
import type { ContainerSpec } from '../driver.js';
import { bridgeName, isBridgeOf } from './bridge-names.js';
import type { EngineContext } from './context.js';
import { call, statusOf, textOf, toEngineError } from './errors.js';
import { managedLabels } from './labels.js';
import { requestStream } from './request.js';

/**
 * Makes the network of a container. The name of its interface says the profile, by which the firewall on the engine's
 * host decides what goes out; another container is never within reach.
 * Docker keeps the containers of one network apart; podman 4 cannot, but it keeps networks apart, so there each
 * container has its own (2 ms, and the address pool holds thousands).
 * @returns the name of the network
 */
export async function ensureNetwork(
  context: EngineContext,
  { name: container, network: profile, publish = [] }: Pick<ContainerSpec, 'name' | 'network' | 'publish'>,
): Promise<string> {
  if (profile === 'none' && publish.length === 0) return 'none';
  const { podman } = await context.host();
  const name = podman ? container : `slipway-${profile}`;
  const create = podman ? createPodmanNetwork : createDockerNetwork;
  try {
    await create(context, name, bridgeName(profile, name));
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

interface PodmanNetwork {
  name: string;
  network_interface?: string;
  options?: Readonly<Record<string, string>>;
}

/** Docker's call to list networks, in podman 4, looks at each container for each network. */
export async function listNetworks(context: EngineContext): Promise<string[]> {
  const networks = async (): Promise<object[]> => {
    if (!(await context.host()).podman) return context.docker.listNetworks();
    const request = { method: 'GET', path: '/v4.0.0/libpod/networks/json', query: {} } as const;
    const found = JSON.parse(await text(await requestStream(context.docker, request))) as PodmanNetwork[];
    return found.filter((network) => !isOfOneContainer(network));
  };
  const found = await call('list networks', networks);
  return (found ?? []).map((network) => JSON.stringify(network)).toSorted();
}

/** Whether a network is as `createPodmanNetwork` makes it: the firewall knows it by its interface. */
const isOfOneContainer = ({ name, network_interface: bridge = '', options }: PodmanNetwork): boolean =>
  isBridgeOf(name, bridge) && options?.isolate === 'true';

// The Docker-compatible call of podman 4 drops the options of a network; its own call keeps them. No name service:
// with one, a container could look up the others.
async function createPodmanNetwork(context: EngineContext, name: string, bridge: string): Promise<void> {
  const answer = await requestStream(context.docker, {
    method: 'POST',
    path: '/v4.0.0/libpod/networks/create',
    body: {
      name,
      driver: 'bridge',
      network_interface: bridge,
      dns_enabled: false,
      options: { isolate: 'true' },
      labels: managedLabels(context),
    },
  });
  answer.resume();
}

async function createDockerNetwork(context: EngineContext, name: string, bridge: string): Promise<void> {
  // Docker accepts two networks of one name unless it is asked to look.
  await context.docker.createNetwork({
    Name: name,
    CheckDuplicate: true,
    Driver: 'bridge',
    Options: {
      'com.docker.network.bridge.enable_icc': 'false',
      'com.docker.network.bridge.name': bridge,
    },
    Labels: managedLabels(context),
  });
}
