import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toToml } from './toml.js';

export interface EnginePlace {
  /** Holds images, containers and volumes in `storage`, and the engine's own settings. */
  folder: string;
  /** Sockets and locks: on a file system that a reboot empties, with a path short enough for a socket. */
  runFolder: string;
}

/** How long the exit code of a command can be asked for: on a busy machine more than a moment after its end. */
const EXEC_SECONDS = 20;

interface EngineSettings extends EnginePlace {
  /** Read-only image stores to look into, newest first. */
  imageStores: readonly string[];
  /** Registries that speak plain HTTP, as `host:port`. */
  plainRegistries: readonly string[];
}

export function placeEngine(stateDir: string): EnginePlace {
  return { folder: join(stateDir, 'engine'), runFolder: `/run/slipway-${digestOf(stateDir)}` };
}

export function engineHost({ runFolder }: EnginePlace): string {
  return `unix://${join(runFolder, 'engine.sock')}`;
}

/** The variables that make podman and its service use the settings of this place and nothing of the user's own. */
export function engineEnvironment({ folder }: EnginePlace): Record<string, string> {
  return {
    CONTAINERS_CONF: join(folder, 'containers.conf'),
    CONTAINERS_STORAGE_CONF: join(folder, 'storage.conf'),
    CONTAINERS_REGISTRIES_CONF: join(folder, 'registries.conf'),
    // Builds in a chroot need neither a nested runtime nor its cgroup.
    BUILDAH_ISOLATION: 'chroot',
    TMPDIR: join(folder, 'tmp'),
  };
}

/** Writes podman's settings; returns them as one text, which differs when any of them does. */
export async function writeEngineSettings(settings: EngineSettings): Promise<string> {
  const { folder } = settings;
  const limits = await hardLimits();
  const files = {
    'storage.conf': storageConf(settings),
    'containers.conf': containersConf(settings, limits),
    'registries.conf': registriesConf(settings),
    'networks/podman.json': defaultNetwork(folder),
  };
  await mkdir(join(folder, 'networks'), { recursive: true });
  await mkdir(join(folder, 'tmp'), { recursive: true });
  await mkdir(settings.runFolder, { recursive: true, mode: 0o700 });
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)));
  return JSON.stringify(files);
}

function storageConf({ folder, runFolder, imageStores }: EngineSettings): string {
  return toToml({
    storage: { driver: 'overlay', graphroot: join(folder, 'storage'), runroot: join(runFolder, 'run') },
    'storage.options': { additionalimagestores: imageStores },
    // Without a mount of the folder onto itself, it can be renamed and removed.
    'storage.options.overlay': { skip_mount_home: 'true' },
  });
}

function containersConf({ folder, runFolder }: EngineSettings, limits: Limits): string {
  const octet = addressOctet(folder);
  return toToml({
    containers: {
      // Without CAP_SYS_RESOURCE a container fails on the stock values, and on one of the two alone.
      default_ulimits: [`nofile=${limits.nofile}:${limits.nofile}`, `nproc=${limits.nproc}:${limits.nproc}`],
      log_driver: 'k8s-file',
    },
    network: {
      network_backend: 'netavark',
      network_config_dir: join(folder, 'networks'),
      // Address ranges of one's own, so that two installations never hand out the same.
      default_subnet_pools: [{ base: `10.${octet}.0.0/16`, size: 24 }],
    },
    engine: {
      // crun and systemd's cgroups fail where cgroups are v1 or hybrid; these work everywhere.
      runtime: 'runc',
      cgroup_manager: 'cgroupfs',
      events_logger: 'file',
      // The processes of a command in a container outlive it for so long, by default for five minutes, and a stop with it.
      exit_command_delay: EXEC_SECONDS,
      // The stock locks stand in memory that all installations share, and one's restart would free the other's.
      lock_type: 'file',
      tmp_dir: join(runFolder, 'tmp'),
      static_dir: join(folder, 'storage', 'libpod'),
      volume_path: join(folder, 'storage', 'volumes'),
    },
  });
}

function registriesConf({ plainRegistries }: EngineSettings): string {
  const entries = plainRegistries.map((location) => `[[registry]]\nlocation = "${location}"\ninsecure = true\n`);
  return `unqualified-search-registries = ["docker.io"]\nshort-name-mode = "permissive"\n${entries.join('')}`;
}

/** The network of builds and of containers that name none: a bridge of its own, beside the pools' first range. */
function defaultNetwork(folder: string): string {
  const octet = addressOctet(folder);
  return JSON.stringify({
    name: 'podman',
    id: createHash('sha256').update(folder).digest('hex'),
    driver: 'bridge',
    network_interface: `slipway-${digestOf(folder).slice(0, 6)}`,
    created: '2024-01-01T00:00:00Z',
    subnets: [{ subnet: `10.${octet}.255.0/24`, gateway: `10.${octet}.255.1` }],
    ipv6_enabled: false,
    internal: false,
    dns_enabled: false,
    ipam_options: { driver: 'host-local' },
  });
}

/** The addresses of an installation's containers. */
export const containerRange = (stateDir: string): string => `10.${addressOctet(placeEngine(stateDir).folder)}.0.0/16`;

/** Second part of our addresses, 128 to 251: away from the low ranges that clusters and other engines take. */
function addressOctet(folder: string): number {
  return 128 + (Number.parseInt(digestOf(folder), 16) % 124);
}

interface Limits {
  nofile: number;
  nproc: number;
}

async function hardLimits(): Promise<Limits> {
  const text = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const hard = (name: string) => Number(new RegExp(`^${name}\\s+\\S+\\s+(\\d+)`, 'm').exec(text)?.[1] ?? Infinity);
  return { nofile: Math.min(hard('Max open files'), 65_536), nproc: Math.min(hard('Max processes'), 32_768) };
}

/** Eight letters that tell the installations of a host apart. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
