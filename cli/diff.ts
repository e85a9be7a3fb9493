import { Command } from 'commander';
import type { CliContext } from './context.js';
import { OperationFailed } from './failure.js';
import { connect } from './login/session.js';
import { readManifests, withManifests, type ManifestOptions } from './manifest/manifests.js';

/** `slipway diff`: what `apply` would change. */
export function diffCommand(context: CliContext): Command {
  const command = new Command('diff')
    .description('show what "apply" would change')
    .addHelpText(
      'after',
      '\nExamples:\n  slipway diff -f wine.yaml\n  slipway diff -f manifests -R || echo "it has drifted"',
    );
  return withManifests(command).action(async (options: ManifestOptions, self: Command) => {
    const { terminal, signal } = context;
    const documents = await readManifests(context, options);
    const { makePlan } = await import('./manifest/plan.js');
    const { differenceOf, paintDifference } = await import('./manifest/difference.js');
    const plan = await makePlan(await connect(context, self), documents, signal);
    const changed = plan.filter(({ change }) => change !== 'unchanged');
    for (const planned of changed) terminal.out(paintDifference(differenceOf(planned), terminal.paint));
    if (changed.length > 0) throw new OperationFailed();
  });
}
