import { Command } from 'commander';
import type { RunKind } from '../client/index.js';
import { SlipwayError } from '../resources/errors.js';
import type { CliContext } from './context.js';
import { nameOf, parseTargets, type Target } from './kinds.js';
import { connect } from './login/session.js';
import { finishAll, withWaiting, type WaitingOptions } from './progress/finish.js';

/** `slipway cancel`: ends runs; they are `failed` with reason `Cancelled`. */
export function cancelCommand(context: CliContext): Command {
  return new Command('cancel')
    .description('cancel a training or a packaging')
    .argument('<kind>', 'kind, or <kind>/<id>')
    .argument('[ids...]')
    .addHelpText('after', '\nExample:\n  slipway cancel training wine')
    .action(async (kind: string, ids: string[], _options: object, command: Command) => {
      const targets = runsOf([kind, ...ids]);
      const slipway = await connect(context, command);
      for (const target of targets) {
        await slipway.cancel(target.kind, target.id, context);
        context.terminal.out(`${nameOf(target)} is being canceled`);
      }
    });
}

/** `slipway rerun`: the same once more. */
export function rerunCommand(context: CliContext): Command {
  const command = new Command('rerun')
    .description('run a training or a packaging once more')
    .argument('<kind>', 'kind, or <kind>/<id>')
    .argument('[ids...]')
    .addHelpText('after', '\nExample:\n  slipway rerun training wine --wait');
  return withWaiting(command).action(async (kind: string, ids: string[], options: WaitingOptions, self: Command) => {
    const targets = runsOf([kind, ...ids]);
    const slipway = await connect(context, self);
    for (const target of targets) {
      await slipway.rerun(target.kind, target.id, context);
      context.terminal.out(`${nameOf(target)} runs again`);
    }
    if (options.wait) await finishAll(context, slipway, targets, options);
  });
}

function runsOf(words: readonly string[]): { kind: RunKind; id: string }[] {
  return parseTargets(words).map(({ kind, id }: Target) => {
    if (kind === 'ModelTraining' || kind === 'ModelPackaging') return { kind, id };
    throw new SlipwayError('validation_failed', 'only trainings and packagings have runs');
  });
}
