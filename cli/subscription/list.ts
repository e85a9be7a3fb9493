import { Command } from 'commander';
import type { components, Slipway } from '../../client/index.js';
import type { CliContext } from '../context.js';
import { connect } from '../login/session.js';
import { plainOption, showPlain, type PlainFormat } from '../output/plain.js';
import type { Column } from '../output/table.js';
import { age } from '../output/time.js';

export type Subscription = components['schemas']['Subscription'];

/** `slipway subscription list`: every subscription with its state and the counts of its deliveries. */
export function listSubscriptionsCommand(context: CliContext): Command {
  return new Command('list')
    .description('list the subscriptions with their states and deliveries')
    .addOption(plainOption())
    .addHelpText('after', EXAMPLES)
    .action(async ({ output }: { output: PlainFormat }, command: Command) => {
      const rows = await listSubscriptions(await connect(context, command), context.signal);
      const none = 'there are no subscriptions: create one with "slipway apply" (see "slipway explain subscription")';
      await showPlain(context, { format: output, rows, columns: COLUMNS, nameOf: ({ id }) => id, none });
    });
}

const EXAMPLES = `
Examples:
  slipway subscription list
  slipway subscription list -o json`;

async function listSubscriptions({ http }: Slipway, signal: AbortSignal): Promise<Subscription[]> {
  const { data } = await http.GET('/v2/subscriptions', { signal });
  return data?.items ?? [];
}

/** Why nothing is sent, or every attempt fails; an active subscription may have such a reason, too. */
export const troubleOf = ({ reason, failing, fault }: Subscription): string =>
  reason ?? fault?.reason ?? failing?.reason ?? '';

const COLUMNS: readonly Column<Subscription>[] = [
  { header: 'ID', value: ({ id }) => id },
  { header: 'NAME', value: ({ name }) => name },
  { header: 'STATE', value: ({ state, failing, fault }) => ((failing ?? fault) ? `${state} (failing)` : state) },
  { header: 'LEVEL', value: ({ level }) => level.proven ?? '' },
  ...['pending', 'held', 'failed'].map((name) => ({
    header: name.toUpperCase(),
    value: ({ counts }: Subscription) => String(counts[name] ?? 0),
  })),
  { header: 'TO', value: ({ url, mode }) => url ?? mode },
  { header: 'AGE', value: ({ created_at }, now) => age(created_at, now) },
];
