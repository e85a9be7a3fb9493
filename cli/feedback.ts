import { Command, Option } from 'commander';
import type { Slipway } from '../client/index.js';
import { SlipwayError } from '../platform/kinds/errors.js';
import type { CliContext } from './context.js';
import { readJson, withJson, type JsonOptions } from './json-input.js';
import { connect } from './login/session.js';
import { toJson } from './output/format.js';

interface FeedbackOptions extends JsonOptions {
  requestId: string;
  model?: string;
  modelVersion?: string;
}

/** `slipway feedback`: what a prediction was worth. */
export function feedbackCommand(context: CliContext): Command {
  const command = new Command('feedback')
    .description('say what a prediction was worth')
    .argument('[deployment]', 'id of the deployment that answered; or name --model and --model-version')
    .addOption(new Option('--request-id <id>', 'of the prediction, as "invoke" printed it').makeOptionMandatory())
    .option('--model <name>', 'name of the model')
    .option('--model-version <version>', 'version of the model')
    .addHelpText('after', EXAMPLES);
  return withJson(command).action(async (deployment: string | undefined, options: FeedbackOptions, self: Command) => {
    const body = await readJson(context, options);
    if (body === undefined) throw new SlipwayError('validation_failed', 'what shall be sent? use -d or -f');
    const slipway = await connect(context, self);
    const model = await findModel(slipway, deployment, options, context.signal);
    const reply = await slipway.feedback({ ...model, requestId: options.requestId, body });
    if (reply.warning !== undefined) context.terminal.note(`warning: ${reply.warning}`);
    context.terminal.out(toJson(reply));
  });
}

const EXAMPLES = `
Examples:
  slipway feedback wine --request-id order-7 -d '{"quality": 6}'
  slipway feedback --model wine --model-version 1.0 --request-id order-7 -f truth.json`;

async function findModel(
  slipway: Slipway,
  deployment: string | undefined,
  { model, modelVersion }: Pick<FeedbackOptions, 'model' | 'modelVersion'>,
  signal: AbortSignal,
): Promise<{ modelName: string; modelVersion: string }> {
  if (deployment === undefined && model !== undefined && modelVersion !== undefined)
    return { modelName: model, modelVersion };
  if (deployment === undefined) {
    throw new SlipwayError('validation_failed', 'name the deployment that answered, or --model and --model-version');
  }
  const { status } = await slipway.entities('ModelDeployment').get(deployment, { signal });
  if (status.modelName !== undefined && status.modelVersion !== undefined) {
    return { modelName: status.modelName, modelVersion: status.modelVersion };
  }
  throw new SlipwayError('not_finished', `deployment/${deployment} has not been ready yet, so its model is not known`);
}
