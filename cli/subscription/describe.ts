import { Command, Option } from 'commander';
import type { CliContext } from '../context.js';
import { connect } from '../login/session.js';
import { toData } from '../output/format.js';
import { colored } from '../output/state-color.js';
import { toTable } from '../output/table.js';
import { age, clock } from '../output/time.js';
import { troubleOf, type Subscription } from './list.js';

/** `slipway subscription describe`: one subscription with what it promises, its trouble and the next step. */
export function describeSubscriptionCommand(context: CliContext): Command {
  return new Command('describe')
    .description('show one with its guarantee, its trouble and its deliveries')
    .argument('<subscription>', 'id of the subscription')
    .addOption(new Option('-o, --output <format>').choices(['table', 'json', 'yaml']).default('table'))
    .addHelpText('after', '\nExample:\n  slipway subscription describe sub_7f3k')
    .action(async (id: string, { output }: { output: string }, command: Command) => {
      const { terminal, now, signal } = context;
      const { http } = await connect(context, command);
      const { data } = await http.GET('/v2/subscriptions/{id}', { params: { path: { id } }, signal });
      if (data === undefined) return; // a reply without one is an error, which is thrown
      if (output !== 'table') return terminal.out(await toData(data, output));
      const rows = factsOf(data, now()).filter(([, value]) => value !== '');
      const cells = rows.map(([name, value]) => [
        `  ${name}`,
        name === 'state' ? colored(terminal.paint, value) : value,
      ]);
      terminal.out(`${terminal.paint('bold', `subscription ${data.name}`)}\n${toTable(cells)}`);
      for (const step of nextSteps(data)) terminal.note(step);
    });
}

function factsOf(subscription: Subscription, now: number): [string, string][] {
  const { id, state, level, guarantee, url, mode, types, filter, payload, ordering, on_ambiguous } = subscription;
  const { owner, counts, keys, failing, fault, created_at, created_by } = subscription;
  const since = failing?.since ?? fault?.since;
  return [
    ['id', id],
    ['state', state],
    ['trouble', `${troubleOf(subscription)}${since === undefined ? '' : ` (since ${clock(since)})`}`],
    ['to', url ?? `nowhere: mode ${mode}`],
    ['owner', owner ?? ''],
    ['types', types.join(', ')],
    ['filter', filter ?? ''],
    ['payload', payload],
    ['order', ordering.mode],
    ['when unclear', on_ambiguous],
    ['level', `${level.proven ?? ''}${level.checked_at ? `, checked ${clock(level.checked_at)}` : ''}`],
    ['guarantee', guarantee.text ?? ''],
    [
      'deliveries',
      Object.entries(counts)
        .map(([name, count]) => `${count} ${name}`)
        .join(', '),
    ],
    ['page', `/v2/subscriptions/${id}/deliveries, in a browser`],
    ['keys', keys.map(({ kid, kind }) => `${kid} (${kind})`).join(', ')],
    ['created', `${clock(created_at)} by ${created_by} (${age(created_at, now)} ago)`],
  ];
}

/** Commands that help a subscription in this state. */
function nextSteps({ id, state, counts }: Subscription): string[] {
  const failed = counts.failed ?? 0;
  const held = counts.held ?? 0;
  return [
    state === 'unverified' ? `its receiver has not answered yet: "slipway subscription probe ${id}" asks it again` : '',
    state === 'paused' || state === 'disabled'
      ? `nothing is sent: "slipway subscription resume ${id}" sends what was kept`
      : '',
    failed > 0 ? `${failed} failed: "slipway delivery list --subscription ${id}" shows why` : '',
    held > 0 ? `${held} held: "slipway delivery list --subscription ${id} --state held" shows them` : '',
  ].filter((step) => step !== '');
}
