import { Command, Option } from 'commander';
import { QUOTA_NAMES } from '../lifecycle/kinds/quota.js';
import type { CliContext } from './context.js';
import { connect } from './login/session.js';
import { toJson } from './output/format.js';
import { toTable } from './output/table.js';

/** `slipway quota`: what you and all owners hold at once, and may hold. */
export function quotaCommand(context: CliContext): Command {
  const { terminal, signal } = context;
  return new Command('quota')
    .description('show what you and all owners hold at once, and may hold')
    .addOption(new Option('-o, --output <format>').choices(['table', 'json']).default('table'))
    .addHelpText('after', '\nExample:\n  slipway quota')
    .action(async ({ output }: { output: string }, command: Command) => {
      const slipway = await connect(context, command);
      const { data } = await slipway.http.GET('/api/v1/quota', { signal });
      if (data === undefined || output === 'json') return terminal.out(toJson(data ?? {}));
      const { owner, installation } = data;
      const shown = ({ used, limit }: { used: string; limit: string }): string => `${used} of ${limit}`;
      const rows = QUOTA_NAMES.map((name) => [name, shown(owner[name]), shown(installation[name])]);
      terminal.out(toTable([['', 'YOU', 'ALL OWNERS'], ...rows]));
    });
}
