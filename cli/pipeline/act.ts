import { Command } from 'commander';
import type { EntityRequest } from '../../client/index.js';
import type { CliContext } from '../context.js';
import { nameOf } from '../kinds.js';
import { connect } from '../login/session.js';
import { readManifests, withManifests, type ManifestOptions } from '../manifest/manifests.js';
import { withWaiting, type WaitingOptions } from '../progress/finish.js';
import { settle, theOne } from '../start.js';

type RetryOptions = Partial<ManifestOptions> & WaitingOptions;

/** `slipway pipeline retry`: a run that failed goes on at the step that failed. */
export function retryCommand(context: CliContext): Command {
  const command = new Command('retry')
    .description('retry a run from its failed step; with --wait it prints the image')
    .argument('<run>', 'id of the run, such as wine-3; the newest of its pipeline')
    .addHelpText('after', RETRY_EXAMPLES);
  return withWaiting(withManifests(command, { mandatory: false })).action(
    async (given: string, options: RetryOptions, self: Command) => {
      const { terminal, signal } = context;
      const id = toRunId(given);
      const { filename, recursive = false } = options;
      const documents = filename && (await readManifests(context, { filename, recursive }));
      const spec = documents && theOne(documents, 'ModelPipeline').body.spec;
      const slipway = await connect(context, self);
      // Its shape was checked when it was read.
      const run = await slipway.runs.retry(id, spec as EntityRequest<'ModelPipeline'>['spec'] | undefined, { signal });
      const say = options.wait ? terminal.note : terminal.out;
      say(`${nameOf(run)} goes on`);
      await settle(context, slipway, [run], options);
    },
  );
}

const RETRY_EXAMPLES = `
What succeeded is kept. A manifest of the pipeline takes the place of the run's own spec from here on; the pipeline
itself stays as it is.

Examples:
  slipway pipeline retry wine-3 --wait
  slipway pipeline retry wine-3 -f wine-pipeline.yaml`;

/** `slipway pipeline cancel`: ends a run with the training or packaging that it waits for. */
export function cancelRunCommand(context: CliContext): Command {
  return new Command('cancel')
    .description('cancel a run; the serving model stays')
    .argument('<run>', 'id of the run, such as wine-3')
    .addHelpText('after', '\nExample:\n  slipway pipeline cancel wine-3')
    .action(async (given: string, _options: object, command: Command) => {
      const id = toRunId(given);
      const slipway = await connect(context, command);
      await slipway.runs.cancel(id, context);
      context.terminal.out(`${nameOf({ kind: 'PipelineRun', id })} is being canceled`);
    });
}

/** Returns `wine-3`, also for a pasted `run/wine-3`. */
export const toRunId = (given: string): string => given.replace(/^(runs?|pipeline-run)\//, '');
