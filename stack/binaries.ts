import { join } from 'node:path';
import { execa } from 'execa';
import { ensureBuilt } from './cache.js';
import { findOnPath, isExecutable } from './executables.js';
import { ensureGo } from './go.js';
import { runCommand } from './run-command.js';
import type { ServiceContext } from './service.js';
import type { StepTools } from './steps.js';

interface Binary {
  version: string;
  /** Takes the one on PATH when the output of this version argument matches; absent: PATH is not asked. */
  accept?: { argument: string; pattern: RegExp };
  source: { module: string } | { folder: string };
  minutes: number;
}

// prettier-ignore
const BINARIES = {
  temporal: {
    version: '1.5.1', minutes: 4, source: { module: 'github.com/temporalio/cli/cmd/temporal' },
    accept: { argument: '--version', pattern: /Server 1\.(29|[3-9]\d)\./ },
  },
  'fake-gcs-server': { version: '1.56.1', minutes: 2, source: { module: 'github.com/fsouza/fake-gcs-server' } },
  // Not FerretDB's own command: ours adds the index that its look-ups need.
  ferretdb: { version: '1.24.2-3', minutes: 1, source: { folder: 'ferretdb' } },
  // Debian's package puts it on PATH as docker-registry; this is for everybody else.
  registry: { version: '3.0.0', minutes: 2, source: { module: 'github.com/distribution/distribution/v3/cmd/registry' } },
} as const satisfies Record<string, Binary>;
export type BinaryName = keyof typeof BINARIES;

/** The path of a binary: from SLIPWAY_BIN_DIR, PATH, the cache, or built into the cache at the pinned version. */
export async function findBinary(name: BinaryName, context: ServiceContext, tools: StepTools): Promise<string> {
  const { version, accept, minutes }: Binary = BINARIES[name];
  const { SLIPWAY_BIN_DIR: configuredFolder, PATH } = context.environment;
  if (configuredFolder && (await isExecutable(join(configuredFolder, name)))) return join(configuredFolder, name);
  const installed = accept && (await findOnPath(name, PATH));
  if (installed && accept.pattern.test(await firstOutput(installed, accept.argument))) return installed;

  const folder = join(context.cacheDir, `${name}-${version}`);
  await ensureBuilt(
    folder,
    async (target) => {
      tools.say(`building ${name} ${version}, once, about ${minutes} min`);
      await build(name, target, context, tools);
    },
    { signal: tools.signal, onWait: () => tools.say(`waiting for another process that builds ${name}`) },
  );
  return join(folder, name);
}

async function build(name: BinaryName, target: string, context: ServiceContext, tools: StepTools): Promise<void> {
  const { source, version }: Binary = BINARIES[name];
  const fromModule = 'module' in source;
  await runCommand({
    command: await ensureGo(context, tools),
    args: fromModule ? ['install', `${source.module}@v${version}`] : ['build', '-o', join(target, name), '.'],
    cwd: fromModule ? undefined : join(import.meta.dirname, source.folder),
    // Distributions turn off that Go fetches the version that a module asks for.
    environment: { GOTOOLCHAIN: 'auto', ...(fromModule && { GOBIN: target }) },
    logFile: join(context.stateDir, 'logs', `build-${name}.log`),
    signal: tools.signal,
    remedy:
      'check that Go can download modules (go env GOPROXY) and that 3 GB are free, then run the same command again',
  });
}

async function firstOutput(command: string, argument: string): Promise<string> {
  const { stdout } = await execa(command, [argument], { reject: false, timeout: 10_000 });
  return stdout ?? '';
}
