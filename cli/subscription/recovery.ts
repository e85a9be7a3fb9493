import { Command } from 'commander';
import type { components } from '../../client/index.js';
import type { CliContext } from '../context.js';
import { connect } from '../login/session.js';
import { plainOption, showPlain, type PlainFormat } from '../output/plain.js';
import type { Column } from '../output/table.js';
import { clock } from '../output/time.js';

interface RecoverOptions {
  from?: string;
  until?: string;
  type?: string[];
  dryRun?: boolean;
}

/** `slipway subscription recover`: sends the failed deliveries of a subscription again. */
export function recoverCommand(context: CliContext): Command {
  return new Command('recover')
    .description('send all failed deliveries of a subscription again')
    .argument('<subscription>', 'id of the subscription')
    .option('--from <time>', 'only of events from this time on, such as 2026-02-01T00:00:00Z')
    .option('--until <time>', 'only of events before this time')
    .option('--type <type...>', 'only of these event types, or families such as dataset.places.*')
    .option('--dry-run', 'count them, send nothing')
    .addHelpText('after', RECOVER_EXAMPLES)
    .action(async (id: string, { from, until, type, dryRun }: RecoverOptions, command: Command) => {
      const { terminal, signal } = context;
      const { http } = await connect(context, command);
      const body = { ...(from && { from }), ...(until && { until }), ...(type && { types: type }), dry_run: dryRun };
      const { data } = await http.POST('/v2/subscriptions/{id}/recover', { params: { path: { id } }, body, signal });
      terminal.out(`recovery ${data?.id} of subscription ${id} ${data?.state}${dryRun ? ' (dry run)' : ''}`);
      terminal.note(`"slipway subscription recoveries ${id}" shows its progress`);
    });
}

const RECOVER_EXAMPLES = `
A worker carries it out. A delivery that is no longer failed is left as it is, so a repeat sends nothing twice.

Examples:
  slipway subscription recover sub_7f3k --dry-run
  slipway subscription recover sub_7f3k --from 2026-02-01T00:00:00Z --type 'dataset.places.*'`;

type Recovery = components['schemas']['Recovery'];

/** `slipway subscription recoveries`: the newest recoveries and how far they are. */
export function recoveriesCommand(context: CliContext): Command {
  return new Command('recoveries')
    .description('show the newest recoveries of a subscription and their progress')
    .argument('<subscription>', 'id of the subscription')
    .addOption(plainOption())
    .addHelpText('after', '\nExample:\n  slipway subscription recoveries sub_7f3k')
    .action(async (id: string, { output }: { output: PlainFormat }, command: Command) => {
      const { http } = await connect(context, command);
      const { data } = await http.GET('/v2/subscriptions/{id}/recoveries', {
        params: { path: { id } },
        signal: context.signal,
      });
      const none = `subscription ${id} has no recoveries`;
      await showPlain(context, {
        format: output,
        rows: data?.items ?? [],
        columns: COLUMNS,
        nameOf: ({ id }) => id,
        none,
      });
    });
}

const COLUMNS: readonly Column<Recovery>[] = [
  { header: 'ID', value: ({ id }) => id },
  { header: 'KIND', value: ({ kind, dry_run }) => (dry_run ? `${kind} (dry run)` : kind) },
  { header: 'STATE', value: ({ state }) => state },
  { header: 'EXAMINED', value: ({ examined }) => String(examined) },
  { header: 'MATCHED', value: ({ matched }) => String(matched) },
  { header: 'SENT AGAIN', value: ({ reopened }) => String(reopened) },
  { header: 'CREATED', value: ({ created_at }) => clock(created_at) },
  { header: 'BY', value: ({ created_by }) => created_by },
];
