import { Command } from 'commander';
import { isNotFound, type Slipway, type WritableKind } from '../client/index.js';
import { SlipwayError } from '../platform/kinds/errors.js';
import type { CliContext } from './context.js';
import { explain, OperationFailed } from './failure.js';
import { isWritable, nameOf, parseTargets } from './kinds.js';
import { connect } from './login/session.js';
import { readManifests, withManifests, type ManifestOptions } from './manifest/manifests.js';
import { withOverride, type OverrideOptions } from './manifest/override.js';
import { colored } from './output/state-color.js';

interface Deletable {
  kind: WritableKind;
  id: string;
}

interface DeleteOptions extends Partial<ManifestOptions>, OverrideOptions {
  ignoreNotFound?: boolean;
  wait: boolean;
  dryRun?: boolean;
}

/** `slipway delete`: what is named, or what manifests describe, in the reverse order of dependency. */
export function deleteCommand(context: CliContext): Command {
  const command = new Command('delete')
    .description('delete resources by name or manifest')
    .argument('[kind]', 'kind, or <kind>/<id>')
    .argument('[ids...]')
    .option('--ignore-not-found', 'ignore resources that do not exist')
    .option('--no-wait', 'do not wait until the replicas of deployments have stopped')
    .option('--dry-run', 'print what would be deleted, delete nothing')
    .addHelpText('after', EXAMPLES);
  return withOverride(withManifests(command, { mandatory: false })).action(
    async (kind: string | undefined, ids: string[], options: DeleteOptions, self: Command) => {
      const targets = await findTargets(context, kind === undefined ? ids : [kind, ...ids], options);
      const slipway = await connect(context, self);
      let exitCode = 0;
      // One that stays is no reason to keep the others.
      for (const target of targets) exitCode = (await removeOne(context, slipway, target, options)) || exitCode;
      if (exitCode !== 0) throw new OperationFailed(exitCode);
    },
  );
}

const EXAMPLES = `
Examples:
  slipway delete training wine iris
  slipway delete -f manifests -R --ignore-not-found`;

async function findTargets(
  context: CliContext,
  words: readonly string[],
  { filename, recursive = false }: DeleteOptions,
): Promise<Deletable[]> {
  if (filename === undefined) {
    return parseTargets(words).map(({ kind, id }) => {
      if (isWritable(kind)) return { kind, id };
      throw new SlipwayError(
        'validation_failed',
        'pipeline runs cannot be deleted: cancel one with "slipway pipeline cancel"',
      );
    });
  }
  if (words.length > 0)
    throw new SlipwayError('validation_failed', 'both resources and manifests given: use names or -f');
  // The id of a job is not in the manifest that it was made of.
  return (await readManifests(context, { filename, recursive })).filter(({ id }) => id !== '').reverse();
}

/** @returns the exit code that this one would have on its own */
async function removeOne(
  context: CliContext,
  slipway: Slipway,
  target: Deletable,
  options: DeleteOptions,
): Promise<number> {
  const { terminal, signal } = context;
  const { overrideProtection } = options;
  const name = nameOf(target);
  const say = (word: string): void =>
    terminal.out(`${name} ${colored(terminal.paint, word)}${options.dryRun ? ' (dry run)' : ''}`);
  try {
    if (options.dryRun) await slipway.entities(target.kind).get(target.id, { signal });
    else await slipway.entities(target.kind).remove(target.id, { signal, overrideProtection });
    // A connection that a deployment still pulls with cannot be deleted.
    if (target.kind === 'ModelDeployment' && options.wait && !options.dryRun) await untilGone(slipway, target, context);
    say('deleted');
    return 0;
  } catch (error) {
    signal.throwIfAborted();
    if (options.ignoreNotFound && isNotFound(error)) return 0;
    const { exitCode, message = '' } = explain(error);
    terminal.note(`${terminal.paintNote('red', 'Error:')} ${name} was not deleted: ${message}`);
    return exitCode;
  }
}

async function untilGone(slipway: Slipway, { kind, id }: Deletable, { signal, pause }: CliContext): Promise<void> {
  while ((await slipway.entities(kind).find(id, { signal })) !== undefined) await pause(500, signal);
}
