import { Command, InvalidArgumentError } from 'commander';
import { isRun, type LogKind } from '../client/index.js';
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

/** `slipway logs`: what a training, a packaging, an inference job or the replicas of a deployment wrote. */
export function logsCommand(context: CliContext): Command {
  return new Command('logs')
    .description('print a log, or follow it')
    .argument('<kind>', 'kind, or <kind>/<id>')
    .argument('[id]')
    .option('-f, --follow', 'follow until the log ends; reconnects when the connection breaks')
    .option('--tail <lines>', 'number of last lines to print (per replica)', toCount)
    .option('--replica <name>', 'only this replica of a deployment, such as r0')
    .option('--previous', 'replicas of a deployment before its last change')
    .addHelpText('after', EXAMPLES)
    .action(async (kind: string, id: string | undefined, options: LogsOptions, command: Command) => {
      const { terminal, signal, now, pause } = context;
      const target = loggable(parseTarget(id === undefined ? [kind] : [kind, id]));
      const slipway = await connect(context, command);
      let disconnected = false;
      const onTrouble = (): void => {
        if (!disconnected) terminal.note('connection lost, reconnecting');
        disconnected = true;
      };
      for await (const line of slipway.log(target.kind, target.id, { ...options, signal, onTrouble, now, pause })) {
        if (disconnected) terminal.note('reconnected');
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
  if (isRun(kind) || kind === 'ModelDeployment') return { kind, id };
  const hint = kind === 'PipelineRun' ? `; "slipway describe run ${id}" names those of this run` : '';
  throw new SlipwayError(
    'validation_failed',
    `only trainings, packagings, inference jobs and deployments have a log${hint}`,
  );
}

function toCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('use a number of lines.');
  return Number(text);
}
