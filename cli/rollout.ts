import { Command, InvalidArgumentError, Option } from 'commander';
import type { Entity } from '../client/index.js';
import { ROLLOUT_ACTIONS, type RolloutAction } from '../lifecycle/kinds/rollout.js';
import type { CliContext } from './context.js';
import { nameOf } from './kinds.js';
import { connect } from './login/session.js';
import { withOverride, type OverrideOptions } from './manifest/override.js';
import { toJson } from './output/format.js';
import { toTable } from './output/table.js';
import { clock } from './output/time.js';
import { withWaiting, type WaitingOptions } from './progress/finish.js';
import { rolloutIn } from './rollout-line.js';
import { settle } from './start.js';

/** `slipway rollout`: how a new revision of a deployment takes over, and the way back. */
export function rolloutCommand(context: CliContext): Command {
  const command = new Command('rollout')
    .description('watch and steer the rollout of a deployment, or go back to an earlier revision')
    .addCommand(statusCommand(context));
  for (const action of ROLLOUT_ACTIONS) command.addCommand(actionCommand(context, action));
  return command.addCommand(historyCommand(context)).addCommand(undoCommand(context));
}

const ABOUT = {
  pause: 'keep the weights; a bad candidate is rolled back all the same',
  resume: 'go on with a rollout that was paused',
  promote: 'give the candidate all traffic at once',
  abort: 'give the revision that served before all traffic',
} as const satisfies Record<RolloutAction, string>;

const deploymentCommand = (name: string, about: string): Command =>
  new Command(name)
    .description(about)
    .argument('<deployment>', 'id of the deployment')
    .addHelpText('after', `\nExample:\n  slipway rollout ${name} wine`);

const format = (): Option => new Option('-o, --output <format>').choices(['table', 'json']).default('table');

function statusCommand(context: CliContext): Command {
  return deploymentCommand('status', 'show the rollout of the current generation')
    .addOption(format())
    .action(async (id: string, { output }: { output: string }, command: Command) => {
      const { terminal, signal } = context;
      const slipway = await connect(context, command);
      const { status } = await slipway.entities('ModelDeployment').get(id, { signal });
      terminal.out(output === 'json' ? toJson(status.rollout ?? {}) : rolloutIn(status));
    });
}

/** `overrideProtection` is sent as `createEntities` does. */
const headersOf = (id: string, { overrideProtection }: OverrideOptions) =>
  overrideProtection ? { 'Override-Protection': id } : {};

function actionCommand(context: CliContext, action: RolloutAction): Command {
  return withOverride(deploymentCommand(action, ABOUT[action])).action(
    async (id: string, options: OverrideOptions, command: Command) => {
      const { http } = await connect(context, command);
      const params = { path: { id }, header: headersOf(id, options) };
      await http.POST(`/api/v1/model/deployment/{id}/rollout/${action}`, { params, signal: context.signal });
      context.terminal.out(`${nameOf({ kind: 'ModelDeployment', id })}: ${action} is requested`);
    },
  );
}

function historyCommand(context: CliContext): Command {
  return deploymentCommand('history', 'list the last revisions that had all the traffic')
    .addOption(format())
    .action(async (id: string, { output }: { output: string }, command: Command) => {
      const { terminal, signal } = context;
      const { http } = await connect(context, command);
      const path = '/api/v1/model/deployment/{id}/revision';
      const { data = [] } = await http.GET(path, { params: { path: { id } }, signal });
      if (output === 'json') return terminal.out(toJson(data));
      const rows = data.map(({ generation, at, updatedBy, modelName, modelVersion, image }) => {
        return [String(generation), clock(at), updatedBy, `${modelName}:${modelVersion}`, image];
      });
      if (rows.length > 0) terminal.out(toTable([['GENERATION', 'SINCE', 'BY', 'MODEL', 'IMAGE'], ...rows]));
    });
}

interface UndoOptions extends OverrideOptions, WaitingOptions {
  to?: number;
}

function undoCommand(context: CliContext): Command {
  const command = deploymentCommand(
    'undo',
    'go back to an earlier revision: by default the one before the last',
  ).option('--to <generation>', 'one of "slipway rollout history"', toGeneration);
  return withWaiting(withOverride(command)).action(async (id: string, options: UndoOptions, self: Command) => {
    const { terminal, signal } = context;
    const slipway = await connect(context, self);
    const params = { path: { id }, header: headersOf(id, options) };
    const body = options.to === undefined ? {} : { generation: options.to };
    const reply = await slipway.http.POST('/api/v1/model/deployment/{id}/rollback', { params, body, signal });
    const deployment = reply.data as Entity<'ModelDeployment'>; // a reply without one is an error, which is thrown
    const say = options.wait ? terminal.note : terminal.out;
    say(`${nameOf(deployment)} goes back to ${deployment.spec.image}`);
    if (options.wait) await settle(context, slipway, [deployment], options);
  });
}

function toGeneration(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('use the number of a generation.');
  return Number(text);
}
