import { connectDocker } from '../../platform/engines/docker/connect.js';
import { engineEnvironment, engineHost, placeEngine, writeEngineSettings } from '../engine-settings.js';
import { hasFirewall, hostResolvers, layFirewall, removeDeadFirewalls, removeFirewall } from '../firewall.js';
import { findForeignEngine } from '../foreign-engine.js';
import { ensureImageStore, imagesOf } from '../image-store.js';
import { imageKey } from '../images.js';
import { endDeadContainers } from '../dead-containers.js';
import { ensurePodman, podman } from '../podman.js';
import { removeTree } from '../remove-tree.js';
import { ensureProcess } from '../service-process.js';
import { rememberStores } from '../store-record.js';
import type { Service, ServiceContext } from '../service.js';
import type { StepTools } from '../steps.js';

/** The container engine: the Docker that answers, else Podman's service with everything of its own. */
export const engineService: Service = {
  name: 'engine',
  replacedBy: 'DOCKER_HOST',
  needs: ['images'],
  runs: 'detached',
  async start(context, tools) {
    const foreign = await findForeignEngine(context.environment);
    if (foreign) {
      context.found.DOCKER_HOST = foreign;
      return `uses ${foreign}`;
    }
    await ensurePodman(context, tools);
    const { stateDir, ports } = context;
    await removeDeadFirewalls(stateDir);
    const place = placeEngine(stateDir);
    const host = engineHost(place);
    const inputs = await writeEngineSettings({
      ...place,
      imageStores: (await rememberStores(place.folder, await currentStore(context, tools))).map(imagesOf),
      plainRegistries: [`127.0.0.1:${ports.registry}`],
    });
    await layFirewall({ stateDir, open: egressNetworks(context), resolvers: await hostResolvers() });
    const how = await ensureProcess(
      {
        name: 'engine',
        command: 'podman',
        args: ['system', 'service', '--time', '0', host],
        // A container's monitor leaves its notes where the service was started.
        cwd: place.folder,
        environment: engineEnvironment(place),
        inputs,
        ports: [],
        probe: async () => void (await connectDocker(host).ping()),
      },
      { stateDir, signal: tools.signal },
    );
    if (how === 'started') await endDeadContainers(stateDir);
    context.found.DOCKER_HOST = host;
    return `${how} at ${host}`;
  },
  isIntact: hasFirewall,
  async beforeStop(stateDir, report) {
    await podman(stateDir, 'unpause', '--all');
    const trainings = await podman(stateDir, 'ps', '--quiet', '--filter', 'label=slipway.kind=training');
    const others = (await podman(stateDir, 'ps', '--quiet')).filter((id) => !trainings.includes(id));
    if (others.length > 0) await podman(stateDir, 'stop', '--time', '3', ...others);
    // Hours of work may be in them.
    if (trainings.length > 0)
      report(`trainings that go on: ${trainings.length}; the next start of the platform takes up their results`);
  },
  async beforeRemoval(stateDir) {
    // Takes their networks' interfaces and firewall rules along.
    await podman(stateDir, 'rm', '--all', '--force', '--volumes', '--time', '0');
    await removeFirewall(stateDir);
    await removeTree(placeEngine(stateDir).runFolder);
  },
};

const egressNetworks = ({ environment }: ServiceContext): string[] =>
  (environment.SLIPWAY_EGRESS_NETWORKS ?? '')
    .split(',')
    .map((range) => range.trim())
    .filter((range) => range !== '');

/** None when the user brings an image of their own. */
async function currentStore(context: ServiceContext, tools: StepTools) {
  if (context.environment.SLIPWAY_TOOLCHAIN_IMAGE) return undefined;
  return ensureImageStore(await imageKey(context.environment), context, tools);
}
