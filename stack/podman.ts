import { join } from 'node:path';
import { execa } from 'execa';
import { SlipwayError } from '../platform/kinds/errors.js';
import { exists } from './cache.js';
import { engineEnvironment, placeEngine } from './engine-settings.js';
import { ensurePackages } from './packages.js';
import type { ServiceContext } from './service.js';
import type { StepTools } from './steps.js';

const COMMANDS = ['podman', 'buildah', 'runc', 'conmon', 'iptables', 'nft'];
const PACKAGES = [
  'podman',
  'buildah',
  'runc',
  'conmon',
  'iptables',
  'nftables',
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
  const { lines } = await tryPodman(stateDir, ...args);
  return lines;
}

/** The same, and whether podman said that it did what it was asked. */
export async function tryPodman(stateDir: string, ...args: string[]): Promise<{ isDone: boolean; lines: string[] }> {
  const place = placeEngine(stateDir);
  if (!(await exists(join(place.folder, 'containers.conf')))) return { isDone: false, lines: [] };
  const options = { env: engineEnvironment(place), stdin: 'ignore', reject: false, timeout: 60_000 } as const;
  const { stdout, exitCode } = await execa('podman', args, options);
  return { isDone: exitCode === 0, lines: stdout.split('\n').filter((line) => line !== '') };
}
