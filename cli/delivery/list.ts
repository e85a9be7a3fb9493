import { Command, InvalidArgumentError, Option } from 'commander';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { CliContext } from '../context.js';
import { connect } from '../login/session.js';
import { plainOption, showPlain, type PlainFormat } from '../output/plain.js';
import type { Column } from '../output/table.js';
import { age } from '../output/time.js';
import { deliveryName } from './name.js';
import { readDeliveries, type Delivery } from './pages.js';

const STATES = ['pending', 'sending', 'checking', 'held', 'parked', 'delivered', 'failed', 'cancelled'] as const;

interface ListOptions {
  subscription?: string;
  state: (typeof STATES)[number];
  type?: string;
  subject?: string;
  from?: string;
  until?: string;
  limit: number;
  output: PlainFormat;
}

/** `slipway delivery list`: the failed deliveries of all subscriptions, or those of one in any state. */
export function listDeliveriesCommand(context: CliContext): Command {
  return new Command('list')
    .description('list failed deliveries of all subscriptions, or deliveries of one in any state')
    .option('--subscription <id>', 'only of this subscription')
    .addOption(new Option('--state <state>', 'in this state').choices(STATES).default('failed'))
    .option('--type <type>', 'only of this event type, or a family such as dataset.places.*')
    .option('--subject <subject>', 'only about this, such as 42 or places/42')
    .option('--from <time>', 'only of events from this time on, such as 2026-02-01T00:00:00Z')
    .option('--until <time>', 'only of events before this time')
    .addOption(new Option('--limit <count>', 'at most so many').default(50).argParser(toLimit))
    .addOption(plainOption())
    .addHelpText('after', EXAMPLES)
    .action(async ({ output, ...wanted }: ListOptions, command: Command) => {
      const { terminal, signal } = context;
      const { subscription, state, limit } = wanted;
      if (subscription === undefined && state !== 'failed') throw needsSubscription(state);
      const { deliveries, isMore } = await readDeliveries(await connect(context, command), { ...wanted, signal });
      const none = `no delivery is ${state}`;
      await showPlain(context, { format: output, rows: deliveries, columns: COLUMNS, nameOf: deliveryName, none });
      if (isMore) terminal.note(`the list ends at ${limit}: use a higher --limit, or a filter, for those after it`);
    });
}

const EXAMPLES = `
Examples:
  slipway delivery list                                           failed ones, of all subscriptions
  slipway delivery list --subscription sub_7f3k --state held
  slipway delivery list --from 2026-02-01T00:00:00Z -o name | xargs slipway delivery resend`;

const needsSubscription = (state: string): SlipwayError =>
  new SlipwayError(
    'validation_failed',
    `--state ${state} needs --subscription <id>: only failed deliveries are listed over all subscriptions`,
  );

function toLimit(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('use a number from 1 to 999999.');
  return Number(text);
}

const COLUMNS: readonly Column<Delivery>[] = [
  { header: 'DELIVERY', value: deliveryName },
  { header: 'STATE', value: ({ state, parked }) => (parked ? `${state} (parked)` : state) },
  { header: 'BY', value: ({ by }) => by ?? '' },
  { header: 'TYPE', value: ({ type }) => type },
  { header: 'ABOUT', value: ({ about }) => about },
  { header: 'ATTEMPTS', value: ({ attempts }) => String(attempts.length) },
  { header: 'LAST', value: lastOf },
  { header: 'AGE', value: ({ minted_at }, now) => age(minted_at, now) },
];

/** How the newest attempt ended. */
function lastOf({ attempts, fault }: Delivery): string {
  const { outcome, status, error } = attempts.at(-1) ?? {};
  return fault ?? [outcome, status, error].filter((part) => part !== undefined).join(' ');
}
