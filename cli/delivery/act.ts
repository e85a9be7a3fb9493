import { Command } from 'commander';
import type { Slipway } from '../../client/index.js';
import type { CliContext } from '../context.js';
import { explain, OperationFailed } from '../failure.js';
import { connect } from '../login/session.js';
import { parseDelivery } from './name.js';

interface Act {
  action: 'resend' | 'confirm' | 'cancel';
  description: string;
  done: string;
}

/** `slipway delivery resend`: sends deliveries again, with the same ids and bytes. */
export const resendCommand = (context: CliContext): Command =>
  actCommand(context, {
    action: 'resend',
    description: 'send deliveries again, with the same ids and bytes',
    done: 'is sent again',
  });

/** `slipway delivery confirm`: held deliveries have arrived, as the operator knows. */
export const confirmCommand = (context: CliContext): Command =>
  actCommand(context, {
    action: 'confirm',
    description: 'record that held deliveries have arrived',
    done: 'confirmed',
  });

/** `slipway delivery cancel`: deliveries are not attempted any more. */
export const cancelDeliveriesCommand = (context: CliContext): Command =>
  actCommand(context, { action: 'cancel', description: 'give up deliveries that are not settled', done: 'cancelled' });

function actCommand(context: CliContext, { action, description, done }: Act): Command {
  return new Command(action)
    .description(description)
    .argument('<deliveries...>', '<subscription>/<sequence>')
    .addHelpText('after', `\nExample:\n  slipway delivery ${action} sub_7f3k/42 sub_7f3k/43`)
    .action(async (given: string[], _options: object, command: Command) => {
      const targets = given.map((name) => ({ name, path: parseDelivery(name) }));
      const slipway = await connect(context, command);
      let exitCode = 0;
      // One that is refused is no reason to leave the others.
      for (const { name, path } of targets) {
        const refused = await act(context, slipway, { action, path });
        if (refused === undefined) context.terminal.out(`delivery ${name} ${done}`);
        else
          context.terminal.note(`${context.terminal.paintNote('red', 'Error:')} delivery ${name}: ${refused.message}`);
        exitCode = refused?.exitCode ?? exitCode;
      }
      if (exitCode !== 0) throw new OperationFailed(exitCode);
    });
}

type Refused = ReturnType<typeof explain>;

async function act(
  { signal }: CliContext,
  { http }: Slipway,
  { action, path }: { action: Act['action']; path: { id: string; sequence: string } },
): Promise<Refused | undefined> {
  try {
    await http.POST(`/v2/subscriptions/{id}/deliveries/{sequence}/${action}`, { params: { path }, signal });
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    return explain(error);
  }
}
