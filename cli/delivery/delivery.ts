import { Command } from 'commander';
import type { CliContext } from '../context.js';
import { cancelDeliveriesCommand, confirmCommand, resendCommand } from './act.js';
import { describeDeliveryCommand } from './describe.js';
import { listDeliveriesCommand } from './list.js';

/** `slipway delivery`: events on their way to webhooks, above all those that failed. */
export function deliveryCommand(context: CliContext): Command {
  return new Command('delivery')
    .description('list failed deliveries, see why they failed, and send them again')
    .addCommand(listDeliveriesCommand(context))
    .addCommand(describeDeliveryCommand(context))
    .addCommand(resendCommand(context))
    .addCommand(confirmCommand(context))
    .addCommand(cancelDeliveriesCommand(context));
}
