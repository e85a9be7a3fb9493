import { Command } from 'commander';
import type { CliContext } from '../context.js';
import { pauseCommand, probeCommand, resumeCommand } from './act.js';
import { describeSubscriptionCommand } from './describe.js';
import { listSubscriptionsCommand } from './list.js';
import { recoverCommand, recoveriesCommand } from './recovery.js';

/** `slipway subscription`: what sends events to webhooks, and how it goes. */
export function subscriptionCommand(context: CliContext): Command {
  return new Command('subscription')
    .description('list subscriptions, see why one sends nothing, and send failed deliveries again')
    .addCommand(listSubscriptionsCommand(context))
    .addCommand(describeSubscriptionCommand(context))
    .addCommand(pauseCommand(context))
    .addCommand(resumeCommand(context))
    .addCommand(probeCommand(context))
    .addCommand(recoverCommand(context))
    .addCommand(recoveriesCommand(context));
}
