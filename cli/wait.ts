import { Command } from 'commander';
import type { CliContext } from './context.js';
import { parseTargets } from './kinds.js';
import { connect } from './login/session.js';
import { finishAll, withWaitDetails, type WaitingOptions } from './progress/finish.js';

/** `slipway wait`: until something has come to its end, with its progress. */
export function waitCommand(context: CliContext): Command {
  const command = new Command('wait')
    .description('wait until runs have ended and deployments are ready')
    .argument('<kind>', 'kind, or <kind>/<id>')
    .argument('[ids...]')
    .addHelpText(
      'after',
      '\nExamples:\n  slipway wait training wine\n  slipway wait training/wine deployment/wine --timeout 10m',
    );
  return withWaitDetails(command).action(
    async (kind: string, ids: string[], options: WaitingOptions, self: Command) => {
      const targets = parseTargets([kind, ...ids]);
      await finishAll(context, await connect(context, self), targets, options);
    },
  );
}
