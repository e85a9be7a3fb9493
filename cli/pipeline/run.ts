import { Command, Option } from 'commander';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { CliContext } from '../context.js';
import { nameOf } from '../kinds.js';
import { connect } from '../login/session.js';
import { withWaiting, type WaitingOptions } from '../progress/finish.js';
import { settle } from '../start.js';

interface RunOptions extends WaitingOptions {
  set?: string[];
  modelVersion?: string;
  cache: boolean;
}

/** `slipway pipeline run`: makes the next run. */
export function runCommand(context: CliContext): Command {
  const command = new Command('run')
    .description('run a pipeline; with --wait it prints the image')
    .argument('<pipeline>', 'id of the pipeline')
    .addOption(
      new Option('--set <name=value>', "value for one of the pipeline's parameters; may be repeated").argParser(
        collect,
      ),
    )
    .option('--model-version <version>', "model version that replaces the pipeline's")
    .option('--no-cache', 'run every step, reuse no earlier result')
    .addHelpText('after', EXAMPLES);
  return withWaiting(command).action(async (pipeline: string, options: RunOptions, self: Command) => {
    const { terminal, signal } = context;
    const { set, modelVersion, cache, wait } = options;
    const body = {
      ...(set !== undefined && { parameters: Object.fromEntries(set.map(toParameter)) }),
      ...(modelVersion !== undefined && { version: modelVersion }),
      ...(!cache && { noCache: true }),
    };
    const slipway = await connect(context, self);
    const run = await slipway.runs.start(pipeline, body, { signal });
    // With `--wait`, the result goes to standard output.
    const say = wait ? terminal.note : terminal.out;
    say(`${nameOf(run)} created`);
    await settle(context, slipway, [run], options);
  });
}

const EXAMPLES = `
Examples:
  slipway pipeline run wine --wait
  slipway pipeline run wine --set alpha=0.2 --set l1_ratio=0.5 --no-cache
  slipway get runs --filter pipeline=wine`;

/** One value each, as one that took all that follows would take the pipeline too. */
const collect = (pair: string, before: string[] = []): string[] => [...before, pair];

/** @throws validation_failed */
function toParameter(pair: string): [string, string] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  throw new SlipwayError('validation_failed', `"${pair}" is invalid: use name=value`);
}
