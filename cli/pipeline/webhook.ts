import { Command } from 'commander';
import type { CliContext } from '../context.js';
import { connect } from '../login/session.js';
import { toJson } from '../output/format.js';

/** `slipway pipeline webhook`: what a sender of messages must know. */
export function webhookCommand(context: CliContext): Command {
  return new Command('webhook')
    .description("print address and secret of a pipeline's webhook (for admins; it is audited)")
    .argument('<pipeline>', 'id of the pipeline')
    .addHelpText('after', '\nExample:\n  slipway pipeline webhook wine')
    .action(async (id: string, _options: object, command: Command) => {
      const slipway = await connect(context, command);
      const path = '/api/v1/model/pipeline/{id}/webhook';
      const { data } = await slipway.http.GET(path, { params: { path: { id } }, signal: context.signal });
      context.terminal.out(toJson(data));
    });
}
