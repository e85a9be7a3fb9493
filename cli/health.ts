import { Command, Option } from 'commander';
import { BACKING_SERVICES, INSTALLATION_CHECKS, SERVICE_REMEDIES } from '../platform/kinds/outage.js';
import type { CliContext } from './context.js';
import { OperationFailed } from './failure.js';
import { connect } from './login/session.js';
import { colored } from './output/state-color.js';
import { toJson } from './output/format.js';
import { toTable } from './output/table.js';

/** `slipway health`: the services of the platform and the checks of the installation, and the remedy of each fault. */
export function healthCommand(context: CliContext): Command {
  const { terminal, signal } = context;
  return new Command('health')
    .description('show which services of the platform are down, and what else is wrong with the installation')
    .addOption(new Option('-o, --output <format>').choices(['table', 'json']).default('table'))
    .addHelpText('after', '\nExample:\n  slipway health || echo "something is wrong"')
    .action(async ({ output }: { output: string }, command: Command) => {
      const slipway = await connect(context, command);
      const { data: { down = [], degraded = [] } = {} } = await slipway.http.GET('/health', { signal });
      const state = (word: string): string => colored(terminal.paint, word);
      const services = BACKING_SERVICES.map((name) => {
        const outage = down.find((each) => each.name === name);
        return outage === undefined
          ? [name, state('up')]
          : [name, state('down'), outage.reason, SERVICE_REMEDIES[name]];
      });
      const checks = INSTALLATION_CHECKS.map((name) => {
        const fault = degraded.find((each) => each.name === name);
        return fault === undefined ? [name, state('ok')] : [name, state('wrong'), fault.reason, fault.remedy];
      });
      const whole = { down, ...(degraded.length > 0 && { degraded }) };
      const table = (): string => toTable([['CHECK', 'STATE', 'REASON', 'REMEDY'], ...services, ...checks]);
      terminal.out(output === 'json' ? toJson(whole) : table());
      if (down.length > 0 || degraded.length > 0) throw new OperationFailed();
    });
}
