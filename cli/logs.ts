import { Command, InvalidArgumentError } from 'commander';
import type { LogKind } from '../client/index.js';
import { SlipwayError } from '../platform/kinds/errors.js';
import type { CliContext } from './context.js';
import { parseTarget, type Target } from './kinds.js';
import { connect } from './login/session.js';

interface LogsOptions {
  follow?: boolean;
  tail?: number;
  replica?: string;
  previous?: boolean;
}

/** `slipway logs`: what a training, a packaging or the replicas of a deployment wrote. */
export function logsCommand(context: CliContext): Command {
  return new Command('logs')
    .description('print a log, or follow it')
    .argument('<kind>', 'kind, or <kind>/<id>')
    .argument('[id]')
    .option('-f, --follow', 'stay until the log ends; a broken connection is made again')
    .option('--tail <lines>', 'only so many of the lines that exist (of each replica)', toCount)
    .option('--replica <name>', 'of a deployment: this replica alone, such as r0')
    .option('--previous', 'of a deployment: the replicas before the last change')
    .addHelpText('after', EXAMPLES)
    .action(async (kind: string, id: string | undefined, options: LogsOptions, command: Command) => {
      const { terminal, signal } = context;
      const target = loggable(parseTarget(id === undefined ? [kind] : [kind, id]));
      const slipway = await connect(context, command);
      let disconnected = false;
      const onTrouble = (): void => {
        if (!disconnected) terminal.note('the connection broke; trying again');
        disconnected = true;
      };
      for await (const line of slipway.log(target.kind, target.id, { ...options, signal, onTrouble })) {
        if (disconnected) terminal.note('connected again');
        disconnected = false;
        terminal.out(line);
      }
    });
}

const EXAMPLES = `
Examples:
  slipway logs -f training wine             from its beginning to its end
  slipway logs training/wine --tail 20
  slipway logs -f deployment/wine --replica r0`;

function loggable({ kind, id }: Target): { kind: LogKind; id: string } {
  if (kind === 'ModelTraining' || kind === 'ModelPackaging' || kind === 'ModelDeployment') return { kind, id };
  const hint = kind === 'PipelineRun' ? `; "slipway describe run ${id}" names those of this run` : '';
  throw new SlipwayError('validation_failed', `only trainings, packagings and deployments have a log${hint}`);
}

function toCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('it is a number of lines.');
  return Number(text);
}
