import { Command } from 'commander';
import type { CliContext } from './context.js';
import { runLocally } from './local-program.js';

/** `slipway doctor`: examines the installation with the settings of the environment, without the API. */
export function doctorCommand(context: CliContext): Command {
  return new Command('doctor')
    .description('examine settings, services, indexes, clock and disk from this host, with the settings of a process')
    .option('--json', 'as one JSON list')
    .addHelpText('after', '\nExample, where a process of the platform runs and with its environment:\n  slipway doctor')
    .action(({ json }: { json?: boolean }) => runLocally(context, 'doctor', json ? ['--json'] : []));
}
