import { chmod, cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import { SlipwayError } from '../platform/kinds/errors.js';
import { ensureBuilt } from './cache.js';
import { findOnPath } from './executables.js';
import { ensurePackages } from './packages.js';
import type { ServiceContext } from './service.js';
import type { StepTools } from './steps.js';

/** From this minor on, Go fetches the toolchain that a module asks for by itself. */
const SELF_UPDATING_MINOR = 21;
const TOOLCHAIN = 'go1.26.8';
/** The output of `go mod download -json`. */
const Download = z.object({ Dir: z.string() });

/** A Go command that can build our binaries: the installed one, or one fetched by means of the distribution's old one. */
export async function ensureGo(context: ServiceContext, tools: StepTools): Promise<string> {
  const { PATH } = context.environment;
  await ensurePackages({ commands: ['go'], packages: ['golang-go'], part: 'the build' }, context, tools);
  const go = await findOnPath('go', PATH);
  if (!go) throw new SlipwayError('unavailable', 'go is not on PATH; install Go 1.21 or later');
  return (await minorOf(go)) >= SELF_UPDATING_MINOR ? go : fetchToolchain(go, context, tools);
}

async function minorOf(go: string): Promise<number> {
  const { stdout } = await execa(go, ['env', 'GOVERSION'], { reject: false, timeout: 10_000 });
  return Number(/^go1\.(\d+)/.exec(stdout ?? '')?.[1] ?? 0);
}

/** Go's own toolchains are published as modules, which an older Go can download and check like any other. */
async function fetchToolchain(go: string, context: ServiceContext, tools: StepTools): Promise<string> {
  const folder = join(context.cacheDir, TOOLCHAIN);
  await ensureBuilt(
    folder,
    async (target) => {
      tools.say(`fetching ${TOOLCHAIN}, as the installed Go is too old`);
      const module = `golang.org/toolchain@v0.0.1-${TOOLCHAIN}.${platform()}`;
      const { Dir: folderOfModule } = await download(go, module, tools.signal);
      await cp(folderOfModule, target, { recursive: true });
      // The module cache drops the executable bits.
      for (const bin of ['bin', join('pkg', 'tool', platform().replace('-', '_'))]) {
        const names = await readdir(join(target, bin));
        await Promise.all(names.map((name) => chmod(join(target, bin, name), 0o755)));
      }
    },
    { signal: tools.signal, onWait: () => tools.say('waiting for another process that fetches Go') },
  );
  return join(folder, 'bin', 'go');
}

async function download(go: string, module: string, signal: AbortSignal): Promise<z.infer<typeof Download>> {
  try {
    const { stdout } = await execa(go, ['mod', 'download', '-json', module], {
      cancelSignal: signal,
      env: { GOFLAGS: '-modcacherw' }, // else its folders are copied as read-only
    });
    return Download.parse(JSON.parse(stdout));
  } catch (cause) {
    signal.throwIfAborted();
    throw new SlipwayError('unavailable', `${TOOLCHAIN} cannot be fetched; install it, or a later Go, by hand`, {
      cause,
    });
  }
}

function platform(): string {
  return `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
}
