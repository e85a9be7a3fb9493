import { Command, Option } from 'commander';
import type { CliContext } from './context.js';
import { parseTarget } from './kinds.js';
import { connect } from './login/session.js';
import { toJson } from './output/format.js';
import { toTable } from './output/table.js';
import { clock } from './output/time.js';

/** `slipway audit`: who changed what, newest first. */
export function auditCommand(context: CliContext): Command {
  return new Command('audit')
    .description('show who changed what (for admins)')
    .argument('[kind]', 'kind, or <kind>/<id>: of this entity alone')
    .argument('[id]')
    .addOption(new Option('-o, --output <format>').choices(['table', 'json']).default('table'))
    .addOption(new Option('--limit <count>', 'the newest ones').default(50).argParser(Number))
    .addHelpText('after', '\nExamples:\n  slipway audit\n  slipway audit training wine -o json')
    .action(
      async (
        kind: string | undefined,
        id: string | undefined,
        options: { output: string; limit: number },
        command: Command,
      ) => {
        const { terminal, signal } = context;
        const target = kind === undefined ? undefined : parseTarget(id === undefined ? [kind] : [kind, id]);
        const slipway = await connect(context, command);
        const filter = target === undefined ? {} : { kind: target.kind, entityId: target.id };
        const query = { ...filter, size: options.limit };
        const { data = [] } = await slipway.http.GET('/api/v1/audit', { params: { query }, signal });
        if (options.output === 'json') return terminal.out(toJson(data));
        const rows = data.map(({ at, user, action, kind, entityId, changes }) => {
          const paths = changes.map(({ path }) => path).join(', ');
          return [clock(at), user.name || user.sub, action, `${kind}/${entityId}`, paths];
        });
        if (rows.length > 0) terminal.out(toTable([['TIME', 'WHO', 'DID', 'WHAT', 'FIELDS'], ...rows]));
      },
    );
}
