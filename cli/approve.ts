import { Command, Option } from 'commander';
import type { CliContext } from './context.js';
import { nameOf } from './kinds.js';
import { connect } from './login/session.js';
import { toRunId } from './pipeline/act.js';
import { settle } from './start.js';
import { withWaiting, type WaitingOptions } from './progress/finish.js';

interface DecisionOptions extends WaitingOptions {
  reason: string;
}

/** `slipway approve`: lets a run of a pipeline go on to its deployment. */
export const approveCommand = (context: CliContext): Command =>
  decisionCommand(context, {
    name: 'approve',
    done: 'approved',
    description: 'approve a run that waits for an approval',
    examples:
      '\nExamples:\n  slipway get runs --state running\n  slipway approve wine-3 --reason "checked against last month" --wait',
  });

/** `slipway reject`: ends a run of a pipeline before its deployment. */
export const rejectCommand = (context: CliContext): Command =>
  decisionCommand(context, {
    name: 'reject',
    done: 'rejected',
    description: 'reject a run that waits for an approval',
    examples: '\nExample:\n  slipway reject wine-3 --reason "the data of that week are incomplete"',
  });

interface Decision {
  name: 'approve' | 'reject';
  done: string;
  description: string;
  examples: string;
}

function decisionCommand(context: CliContext, { name, done, description, examples }: Decision): Command {
  const command = new Command(name)
    .description(description)
    .argument('<run>', 'id of the run, such as wine-3')
    .addOption(new Option('--reason <text>', 'why; it is kept beside the decision').makeOptionMandatory())
    .addHelpText('after', examples);
  return withWaiting(command).action(async (given: string, options: DecisionOptions, self: Command) => {
    const { terminal, signal } = context;
    const id = toRunId(given);
    const slipway = await connect(context, self);
    await slipway.runs[name](id, options.reason, { signal });
    const say = options.wait ? terminal.note : terminal.out;
    say(`${nameOf({ kind: 'PipelineRun', id })} ${done}`);
    if (options.wait) await settle(context, slipway, [await slipway.runs.get(id, { signal })], options);
  });
}
