import { Command } from 'commander';
import type { CliContext } from '../context.js';
import { cancelRunCommand, retryCommand } from './act.js';
import { runCommand } from './run.js';
import { webhookCommand } from './webhook.js';

/** `slipway pipeline`: what only pipelines have. */
export function pipelineCommand(context: CliContext): Command {
  return new Command('pipeline')
    .description('run a pipeline, from a commit to traffic')
    .addCommand(runCommand(context))
    .addCommand(retryCommand(context))
    .addCommand(cancelRunCommand(context))
    .addCommand(webhookCommand(context));
}
