import { Command, Option } from 'commander';
import type { CliContext } from '../context.js';
import { toData } from '../output/format.js';
import { toTable } from '../output/table.js';
import { connect } from './session.js';

/** `slipway whoami`: who the server takes you for. */
export function whoamiCommand(context: CliContext): Command {
  return new Command('whoami')
    .description('show who you are to the server, with your roles')
    .addOption(new Option('-o, --output <format>').choices(['table', 'json', 'yaml']).default('table'))
    .addHelpText('after', '\nExample:\n  slipway whoami')
    .action(async ({ output }: { output: string }, command: Command) => {
      const slipway = await connect(context, command);
      const { data } = await slipway.http.GET('/api/v1/user/info', { signal: context.signal });
      const { username = '', email = '', sub = '', roles = [] } = data ?? {};
      const rows = [
        ['server', slipway.server],
        ['user', username],
        ['email', email],
        ['subject', sub],
        ['roles', roles.join(', ') || 'none'],
      ];
      const whole = { server: slipway.server, ...data };
      context.terminal.out(output === 'table' ? toTable(rows) : await toData(whole, output));
    });
}
