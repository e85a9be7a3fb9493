import { Command } from 'commander';
import type { CliContext } from './context.js';
import { connect } from './login/session.js';
import { readManifests, withManifests, type ManifestOptions } from './manifest/manifests.js';
import { withOverride, type OverrideOptions } from './manifest/override.js';
import { reportChange, writeAll } from './manifest/write.js';
import { nameOf } from './kinds.js';
import { finishAll, withWaiting, type WaitingOptions } from './progress/finish.js';

interface ApplyOptions extends ManifestOptions, WaitingOptions, OverrideOptions {
  dryRun?: boolean;
  force?: boolean;
}

/** `slipway apply`: makes the server hold what manifests say. */
export function applyCommand(context: CliContext): Command {
  const command = new Command('apply')
    .description('create or change what manifests describe')
    .option('--dry-run', 'say what would change, and change nothing')
    .option('--force', 'let the declaration of a dataset take fields back that every row allows')
    .addHelpText('after', EXAMPLES);
  return withWaiting(withOverride(withManifests(command))).action(async (options: ApplyOptions, self: Command) => {
    const { terminal, signal } = context;
    const documents = await readManifests(context, options);
    const slipway = await connect(context, self);
    const { makePlan } = await import('./manifest/plan.js');
    const plan = await makePlan(slipway, documents, signal);
    const report = reportChange(terminal.out, terminal.paint, options.dryRun ? ' (dry run)' : '');
    if (options.dryRun) return plan.forEach(({ document, change }) => report(nameOf(document), change));
    const written = await writeAll(context, slipway, plan, report, options);
    if (options.wait)
      await finishAll(
        context,
        slipway,
        written.map(({ entity }) => entity),
        options,
      );
  });
}

const EXAMPLES = `
Every document is checked before the first one is sent. The same manifest a second time changes nothing.

Examples:
  slipway apply -f wine.yaml                 a file of one or several documents
  slipway apply -f manifests -R --dry-run    all of a folder, and of those in it
  slipway get training wine -o yaml | sed 's/0.1/0.2/' | slipway apply -f -
  slipway apply -f wine.yaml --wait          until trainings have ended and deployments are ready`;
