import { join } from 'node:path';
import { SlipwayError } from '../platform/kinds/errors.js';
import { findOnPath } from './executables.js';
import { runCommand } from './run-command.js';
import type { ServiceContext } from './service.js';
import type { StepTools } from './steps.js';

interface Wanted {
  /** Commands whose absence means that the packages are missing. */
  commands: string[];
  packages: string[];
  /** The part of the stack that asks, for the message. */
  part: string;
}

/** Where to look for commands, and where to leave the log. */
type Place = Pick<ServiceContext, 'environment' | 'stateDir'>;

/** One at a time: dpkg has one lock, and two steps may want packages at once. */
let queue: Promise<void> = Promise.resolve();

/**
 * Sees to it that commands are there, from Debian or Ubuntu packages where this process may install them.
 * @throws unavailable with the command that a person with rights can run
 */
export async function ensurePackages(wanted: Wanted, context: Place, tools: StepTools): Promise<void> {
  const turn = queue.then(() => installMissing(wanted, context, tools));
  queue = turn.catch(() => undefined);
  return turn;
}

async function installMissing({ commands, packages, part }: Wanted, context: Place, tools: StepTools) {
  const { PATH } = context.environment;
  const found = await Promise.all(commands.map((name) => findOnPath(name, PATH)));
  const missing = commands.filter((_, index) => !found[index]);
  if (missing.length === 0) return;
  tools.signal.throwIfAborted();
  const apt = await findOnPath('apt-get', PATH);
  const remedy = `run: sudo apt-get install -y ${packages.join(' ')}`;
  if (!apt) {
    throw new SlipwayError(
      'unavailable',
      `${part} needs ${missing.join(', ')}, and this system has no apt-get: install them, or set the address of a ${part} of your own`,
    );
  }
  if (process.getuid?.() !== 0) throw new SlipwayError('unavailable', `${part} needs ${missing.join(', ')}; ${remedy}`);
  tools.say(`installing ${packages.join(' ')}`);
  const common = {
    command: apt,
    environment: { DEBIAN_FRONTEND: 'noninteractive' },
    logFile: join(context.stateDir, 'logs', 'packages.log'),
    remedy,
    // Never interrupted: a killed dpkg leaves the system to be repaired by hand.
    signal: undefined,
  };
  const options = ['-y', '-o', 'DPkg::Lock::Timeout=300'];
  await runCommand({ ...common, args: [...options, 'update'] });
  await runCommand({ ...common, args: [...options, 'install', '--no-install-recommends', ...packages] });
}
