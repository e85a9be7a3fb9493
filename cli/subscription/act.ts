import { Command } from 'commander';
import type { CliContext } from '../context.js';
import { connect } from '../login/session.js';

interface Act {
  action: 'pause' | 'resume' | 'probe';
  description: string;
  done: string;
}

/** `slipway subscription pause`: sends nothing until it is resumed; events are kept. */
export const pauseCommand = (context: CliContext): Command =>
  actCommand(context, { action: 'pause', description: 'stop sending; events are kept', done: 'paused' });

/** `slipway subscription resume`: sends what was kept, in order. */
export const resumeCommand = (context: CliContext): Command =>
  actCommand(context, { action: 'resume', description: 'send what was kept, in order', done: 'resumed' });

/** `slipway subscription probe`: asks the receiver again, as after it got its secret. */
export const probeCommand = (context: CliContext): Command =>
  actCommand(context, { action: 'probe', description: 'probe the receiver and update its level', done: 'probed' });

function actCommand(context: CliContext, { action, description, done }: Act): Command {
  return new Command(action)
    .description(description)
    .argument('<subscription>', 'id of the subscription')
    .addHelpText('after', `\nExample:\n  slipway subscription ${action} sub_7f3k`)
    .action(async (id: string, _options: object, command: Command) => {
      const { terminal, signal } = context;
      const { http } = await connect(context, command);
      const { data } = await http.POST(`/v2/subscriptions/{id}/${action}`, { params: { path: { id } }, signal });
      terminal.out(`subscription ${id} ${done}: it is ${data?.state}, level ${data?.level.proven}`);
    });
}
