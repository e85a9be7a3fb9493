import { Command } from 'commander';
import { isRun, type RunKind, type Slipway } from '../client/index.js';
import { SlipwayError } from '../platform/kinds/errors.js';
import type { CliContext } from './context.js';
import { nameOf, parseTargets, type Target } from './kinds.js';
import { connect } from './login/session.js';
import { finishAll, withWaiting, type WaitingOptions } from './progress/finish.js';

/** `slipway cancel`: ends runs; they are `failed` with reason `Cancelled`. */
export function cancelCommand(context: CliContext): Command {
  return new Command('cancel')
    .description('cancel a training, a packaging, an inference job or a run')
    .argument('<kind>', 'kind, or <kind>/<id>')
    .argument('[ids...]')
    .addHelpText('after', '\nExamples:\n  slipway cancel training wine\n  slipway cancel run wine-3')
    .action(async (kind: string, ids: string[], _options: object, command: Command) => {
      const targets = runsOf([kind, ...ids]);
      const slipway = await connect(context, command);
      for (const target of targets) {
        await cancel(slipway, target, context);
        context.terminal.out(`${nameOf(target)} is being canceled`);
      }
    });
}

/** `slipway rerun`: the same once more. */
export function rerunCommand(context: CliContext): Command {
  const command = new Command('rerun')
    .description('run a training, a packaging or an inference job again, or retry a run')
    .argument('<kind>', 'kind, or <kind>/<id>')
    .argument('[ids...]')
    .addHelpText('after', '\nExamples:\n  slipway rerun training wine --wait\n  slipway rerun run wine-3');
  return withWaiting(command).action(async (kind: string, ids: string[], options: WaitingOptions, self: Command) => {
    const targets = runsOf([kind, ...ids]);
    const slipway = await connect(context, self);
    for (const target of targets) {
      await rerun(slipway, target, context);
      context.terminal.out(`${nameOf(target)} runs again`);
    }
    if (options.wait) await finishAll(context, slipway, targets, options);
  });
}

interface Runnable {
  kind: RunKind | 'PipelineRun';
  id: string;
}

const cancel = ({ runs, cancel }: Slipway, { kind, id }: Runnable, { signal }: CliContext): Promise<unknown> =>
  kind === 'PipelineRun' ? runs.cancel(id, { signal }) : cancel(kind, id, { signal });

/** A run of a pipeline goes on at the step that failed. */
const rerun = ({ runs, rerun }: Slipway, { kind, id }: Runnable, { signal }: CliContext): Promise<unknown> =>
  kind === 'PipelineRun' ? runs.retry(id, undefined, { signal }) : rerun(kind, id, { signal });

function runsOf(words: readonly string[]): Runnable[] {
  return parseTargets(words).map(({ kind, id }: Target) => {
    if (isRun(kind) || kind === 'PipelineRun') return { kind, id };
    throw new SlipwayError(
      'validation_failed',
      'only trainings, packagings, inference jobs and pipeline runs can be run again',
    );
  });
}
