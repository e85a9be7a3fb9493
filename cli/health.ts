import { Command, Option } from 'commander';
import { BACKING_SERVICES } from '../platform/kinds/outage.js';
import type { CliContext } from './context.js';
import { OperationFailed } from './failure.js';
import { connect } from './login/session.js';
import { colored } from './output/state-color.js';
import { toJson } from './output/format.js';
import { toTable } from './output/table.js';

/** `slipway health`: the services of the platform, and why one is down. */
export function healthCommand(context: CliContext): Command {
  const { terminal, signal } = context;
  return new Command('health')
    .description('show which services of the platform are down')
    .addOption(new Option('-o, --output <format>').choices(['table', 'json']).default('table'))
    .addHelpText('after', '\nExample:\n  slipway health || echo "a service is down"')
    .action(async ({ output }: { output: string }, command: Command) => {
      const slipway = await connect(context, command);
      const { data } = await slipway.http.GET('/health', { signal });
      const down = data?.down ?? [];
      const rows = BACKING_SERVICES.map((name) => {
        const outage = down.find((each) => each.name === name);
        return [name, colored(terminal.paint, outage ? 'down' : 'up'), outage?.reason ?? ''];
      });
      terminal.out(output === 'json' ? toJson({ down }) : toTable([['SERVICE', 'STATE', 'REASON'], ...rows]));
      if (down.length > 0) throw new OperationFailed();
    });
}
