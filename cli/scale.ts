import { Command } from 'commander';
import { SlipwayError } from '../platform/kinds/errors.js';
import type { CliContext } from './context.js';
import { toCount } from './deploy.js';
import { nameOf } from './kinds.js';
import { connect } from './login/session.js';
import { withOverride, type OverrideOptions } from './manifest/override.js';
import { withWaiting, type WaitingOptions } from './progress/finish.js';
import { settle } from './start.js';

interface ChangeOptions extends WaitingOptions, OverrideOptions {}

interface ScaleOptions extends ChangeOptions {
  min?: number;
  max?: number;
}

type Change = { minReplicas?: number; maxReplicas?: number; suspended?: boolean };

/** `slipway scale`: how many replicas a deployment has at least and at most. */
export function scaleCommand(context: CliContext): Command {
  const command = newCommand('scale', 'set the least and the most replicas of a deployment')
    .option('--min <count>', 'least number of replicas; 0: none while there are no calls', toCount)
    .option('--max <count>', 'most replicas', toCount)
    .addHelpText('after', '\nExamples:\n  slipway scale wine --min 1 --max 5\n  slipway scale wine --min 0 --wait');
  return command.action(async (id: string, { min, max, ...options }: ScaleOptions, self: Command) => {
    if (min === undefined && max === undefined) {
      throw new SlipwayError('validation_failed', 'nothing to change: give --min, --max or both');
    }
    const change = { ...(min !== undefined && { minReplicas: min }), ...(max !== undefined && { maxReplicas: max }) };
    await changeDeployment(context, self, { id, change, options, done: 'scaled' });
  });
}

/** `slipway suspend`: stops all replicas of a deployment; calls are refused. */
export function suspendCommand(context: CliContext): Command {
  const command = newCommand('suspend', 'stop all replicas of a deployment and refuse its calls').addHelpText(
    'after',
    '\nExample:\n  slipway suspend wine',
  );
  return command.action((id: string, options: ChangeOptions, self: Command) =>
    changeDeployment(context, self, { id, change: { suspended: true }, options, done: 'suspended' }),
  );
}

/** `slipway resume`: ends a suspension. */
export function resumeCommand(context: CliContext): Command {
  const command = newCommand('resume', 'start a suspended deployment again').addHelpText(
    'after',
    '\nExample:\n  slipway resume wine --wait',
  );
  return command.action((id: string, options: ChangeOptions, self: Command) =>
    changeDeployment(context, self, { id, change: { suspended: false }, options, done: 'resumed' }),
  );
}

const newCommand = (name: string, description: string): Command =>
  withWaiting(
    withOverride(new Command(name).description(description).argument('<deployment>', 'id of the deployment')),
  );

async function changeDeployment(
  context: CliContext,
  self: Command,
  { id, change, options, done }: { id: string; change: Change; options: ChangeOptions; done: string },
): Promise<void> {
  const { terminal, signal } = context;
  const slipway = await connect(context, self);
  const deployments = slipway.entities('ModelDeployment');
  const { spec, generation } = await deployments.get(id, { signal });
  const { overrideProtection } = options;
  const after = await deployments.replace(
    { id, spec: { ...spec, ...change } },
    { generation, overrideProtection, signal },
  );
  const say = options.wait ? terminal.note : terminal.out;
  say(`${nameOf(after)} ${done}`);
  await settle(context, slipway, [after], options);
}
