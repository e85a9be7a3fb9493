import { join } from 'node:path';
import { execa } from 'execa';
import { SlipwayError } from '../platform/kinds/errors.js';
import { exists } from './cache.js';
import { engineEnvironment, placeEngine } from './engine-settings.js';
import { ensurePackages } from './packages.js';
import type { ServiceContext } from './service.js';
import type { StepTools } from './steps.js';

const COMMANDS = ['podman', 'buildah', 'runc', 'conmon', 'iptables', 'nft', 'ip'];
const PACKAGES = [
  'podman',
  'buildah',
  'runc',
  'conmon',
  'iptables',
  'nftables',
  'iproute2',
  'netavark',
  'aardvark-dns',
  'containernetworking-plugins',
];

/** @throws unavailable where no engine of our own can run, with what to do instead */
export async function ensurePodman(context: ServiceContext, tools: StepTools): Promise<void> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    throw new SlipwayError(
      'unavailable',
      'no Docker answers, and an engine of its own needs root on Linux; start Docker, set DOCKER_HOST, or run it as root',
    );
  }
  await ensurePackages({ commands: COMMANDS, packages: PACKAGES, part: 'the container engine' }, context, tools);
}

/**
 * Runs podman on the engine of a state folder, whether its service is up or not; nothing happens where there is none.
 * @returns the lines that it printed
 */
export async function podman(stateDir: string, ...args: string[]): Promise<string[]> {
  const place = placeEngine(stateDir);
  if (!(await exists(join(place.folder, 'containers.conf')))) return [];
  const options = { env: engineEnvironment(place), stdin: 'ignore', reject: false, timeout: 60_000 } as const;
  const { stdout } = await execa('podman', args, options);
  return stdout.split('\n').filter((line) => line !== '');
}
