import { Command, Option } from 'commander';
import type { components } from '../../client/index.js';
import type { CliContext } from '../context.js';
import { connect } from '../login/session.js';
import { toTable } from '../output/table.js';
import { clock } from '../output/time.js';
import { parseDelivery } from './name.js';

type Delivery = components['schemas']['Delivery'];

/** `slipway delivery describe`: one delivery with everything that happened to it. */
export function describeDeliveryCommand(context: CliContext): Command {
  return new Command('describe')
    .description('show one with its attempts, and what each one met')
    .argument('<delivery>', '<subscription>/<sequence>')
    .addOption(new Option('-o, --output <format>').choices(['table', 'json']).default('table'))
    .addHelpText('after', '\nExample:\n  slipway delivery describe sub_7f3k/42')
    .action(async (given: string, { output }: { output: string }, command: Command) => {
      const { terminal, signal } = context;
      const path = parseDelivery(given);
      const { http } = await connect(context, command);
      const { data: text = '' } = await http.GET('/v2/subscriptions/{id}/deliveries/{sequence}', {
        params: { path },
        parseAs: 'text',
        signal,
      });
      // As the server wrote it: a parser rounds integers above 2^53, which an event may have.
      if (output === 'json') return terminal.out(text);
      const data = JSON.parse(text) as Delivery; // by the OpenAPI document
      const facts = toTable(factsOf(data).filter(([, value]) => value !== ''));
      const timeline = toTable(
        (data.timeline ?? []).map(({ at, what, ...rest }) => [`  ${clock(at)}`, what, detailsOf(rest)]),
      );
      terminal.out(`${terminal.paint('bold', `delivery ${given}`)}\n${facts}\n\nTimeline:\n${timeline}`);
      if (data.state === 'failed' || data.state === 'held')
        terminal.note(`"slipway delivery resend ${given}" sends it again`);
    });
}

const factsOf = ({ state, by, fault, type, about, notice_id, event_id, minted_at }: Delivery): [string, string][] => [
  ['  state', by === undefined ? state : `${state} (${by})`],
  ['  fault', fault ?? ''],
  ['  type', type],
  ['  about', about],
  ['  webhook-id', notice_id],
  ['  event', event_id],
  ['  created', clock(minted_at)],
];

/** Details of an entry that has them; which ones depends on what it is. */
const detailsOf = (details: object): string =>
  Object.entries(details)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(' ');
