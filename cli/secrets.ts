import { Command } from 'commander';
import type { CliContext } from './context.js';
import { runLocally } from './local-program.js';

/** `slipway secrets`: what an operator does with the keys of an installation, on a host that has them. */
export function secretsCommand(context: CliContext): Command {
  const rekey = new Command('rekey')
    .description('seal every stored secret again with SLIPWAY_SECRET_KEY, with the settings of a process')
    .addHelpText(
      'after',
      '\nIt may run beside API and workers, be interrupted, and run again: what is done stays done.\n' +
        'Example, where a process of the platform runs and with its environment:\n  slipway secrets rekey',
    )
    .action(() => runLocally(context, 'rekey'));
  return new Command('secrets').description('secrets of the installation').addCommand(rekey);
}
