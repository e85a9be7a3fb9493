import { Command, Option } from 'commander';
import { sampleOf, type Slipway } from '../client/index.js';
import { SlipwayError } from '../platform/kinds/errors.js';
import type { CliContext } from './context.js';
import { readJson, withJson, type JsonOptions } from './json-input.js';
import { connect } from './login/session.js';
import { modelSummary } from './model-info.js';
import { toData, toJson } from './output/format.js';

interface InvokeOptions extends JsonOptions {
  sample?: boolean;
  requestId?: string;
}

/** `slipway invoke`: asks a deployed model. */
export function invokeCommand(context: CliContext): Command {
  const command = new Command('invoke')
    .description('ask a deployed model')
    .argument('<deployment>', 'id of the deployment')
    .addOption(new Option('--sample', "send the model's own sample").conflicts(['data', 'filename']))
    .option('--request-id <id>', 'your name for the request; feedback is tied to it')
    .addHelpText('after', EXAMPLES);
  return withJson(command).action(async (deployment: string, options: InvokeOptions, self: Command) => {
    const { terminal, signal } = context;
    const text = await readJson(context, options);
    const slipway = await connect(context, self);
    const body = text ?? (options.sample ? await sample(slipway, deployment, signal) : undefined);
    if (body === undefined) throw new SlipwayError('validation_failed', 'no request body: use -d, -f or --sample');
    const answer = await slipway.invoke(deployment, body, { requestId: options.requestId, signal });
    terminal.out(answer.text.trimEnd());
    terminal.note(`model ${answer.modelName} ${answer.modelVersion}, request ${answer.requestId}`);
  });
}

const EXAMPLES = `
Examples:
  slipway invoke wine -d '{"columns": ["ash", "hue"], "data": [[2.3, 0.9]]}'
  slipway invoke wine -f rows.json --request-id order-7
  slipway invoke wine --sample`;

/** @throws not_found when the model was packaged without one */
async function sample(slipway: Slipway, deployment: string, signal: AbortSignal): Promise<unknown> {
  const found = sampleOf(await slipway.info(deployment, { signal }));
  if (found === undefined) throw new SlipwayError('not_found', `the model of ${deployment} has no sample`);
  return found;
}

/** `slipway info`: what a deployed model is and takes. */
export function infoCommand(context: CliContext): Command {
  return new Command('info')
    .description('show what a deployed model takes and gives')
    .argument('<deployment>', 'id of the deployment')
    .addOption(new Option('--sample', 'only the sample, ready for "slipway invoke -f -"').conflicts('output'))
    .addOption(new Option('-o, --output <format>', "the model's whole OpenAPI document").choices(['json', 'yaml']))
    .addHelpText(
      'after',
      '\nExamples:\n  slipway info wine\n  slipway info wine -o json\n  slipway info wine --sample | slipway invoke wine -f -',
    )
    .action(async (deployment: string, options: { sample?: boolean; output?: string }, command: Command) => {
      const slipway = await connect(context, command);
      const { signal, terminal } = context;
      if (options.sample) return terminal.out(toJson(await sample(slipway, deployment, signal)));
      const info = await slipway.info(deployment, { signal });
      terminal.out(options.output === undefined ? modelSummary(info, deployment) : await toData(info, options.output));
    });
}
