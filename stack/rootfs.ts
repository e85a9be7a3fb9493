import { join } from 'node:path';
import { SlipwayError } from '../platform/kinds/errors.js';
import { ensureBuilt } from './cache.js';
import { ensurePackages } from './packages.js';
import { removeTree } from './remove-tree.js';
import { runCommand } from './run-command.js';
import type { ServiceContext } from './service.js';
import type { StepTools } from './steps.js';

const SUITE = 'bookworm';
const INCLUDED = 'python3,python3-venv,python3-pip,ca-certificates';
/** Packages without use in an image, or that need rights which its users may lack. */
const LEFT_OUT = ['./dev/*', './var/cache/apt/*', './var/lib/apt/lists/*', './usr/share/doc/*', './usr/share/man/*'];

/** The path of a tar of Debian with its Python, made once; in `bookworm` that is 3.11. */
export async function ensureRootfs(
  context: Pick<ServiceContext, 'cacheDir' | 'stateDir' | 'environment'>,
  tools: StepTools,
  suite = SUITE,
): Promise<string> {
  const folder = join(context.cacheDir, `rootfs-${suite}-1`);
  await ensureBuilt(
    folder,
    async (target) => {
      if (process.getuid?.() !== 0) {
        throw new SlipwayError(
          'unavailable',
          'no public python image can be pulled, and making one by debootstrap needs root; run it as root, or set SLIPWAY_TOOLCHAIN_IMAGE',
        );
      }
      await ensurePackages(
        { commands: ['debootstrap'], packages: ['debootstrap', 'debian-archive-keyring'], part: 'the base image' },
        context,
        tools,
      );
      tools.say('no public python image can be pulled: making one from Debian packages, once, about 1 min');
      const common = {
        logFile: join(context.stateDir, 'logs', 'build-rootfs.log'),
        signal: tools.signal,
        remedy:
          "check that Debian's packages can be downloaded and that 2 GB are free, then run the same command again",
      };
      const root = join(target, 'root');
      const options = ['--variant=minbase', `--include=${INCLUDED}`];
      await runCommand({ ...common, command: 'debootstrap', args: [...options, suite, root] });
      const excludes = LEFT_OUT.map((pattern) => `--exclude=${pattern}`);
      const file = join(target, 'rootfs.tar');
      await runCommand({
        ...common,
        command: 'tar',
        args: ['-C', root, ...excludes, '--numeric-owner', '-cf', file, '.'],
      });
      await removeTree(root);
    },
    { signal: tools.signal, onWait: () => tools.say('waiting for another process that makes the base image') },
  );
  return join(folder, 'rootfs.tar');
}
