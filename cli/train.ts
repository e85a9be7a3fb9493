import { Command } from 'commander';
import { outcomeOf } from '../client/index.js';
import { SlipwayError } from '../platform/kinds/errors.js';
import type { CliContext } from './context.js';
import { nameOf, wordOf } from './kinds.js';
import { connect } from './login/session.js';
import { readManifests, withManifests, type ManifestOptions } from './manifest/manifests.js';
import { withWaiting } from './progress/finish.js';
import { runAgain, settle, startDocuments, type StartOptions } from './start.js';

type TrainOptions = Partial<ManifestOptions> & StartOptions;

/** `slipway train`: what a manifest describes, or a stored training once more. */
export function trainCommand(context: CliContext): Command {
  const command = new Command('train')
    .description('train a model from a manifest, or run a stored training again')
    .argument('[id]', 'id of a stored training to run again')
    .option('--rerun', 'run even if the manifest changes nothing')
    .addHelpText('after', EXAMPLES);
  return withWaiting(withManifests(command, { mandatory: false })).action(
    async (id: string | undefined, options: TrainOptions, self: Command) => {
      const { filename, recursive = false } = options;
      if ((id === undefined) === (filename === undefined)) {
        throw new SlipwayError(
          'validation_failed',
          'nothing to train: give the id of a stored training, or a manifest with -f',
        );
      }
      const kind = 'ModelTraining';
      if (filename !== undefined) {
        const documents = await readManifests(context, { filename, recursive });
        if (!documents.some((document) => document.kind === kind)) {
          throw new SlipwayError('validation_failed', `no ${wordOf(kind)} found in the manifests`);
        }
        return startDocuments(context, await connect(context, self), { kind, documents, options });
      }
      const slipway = await connect(context, self);
      const entity = await slipway.entities(kind).get(id ?? '', context);
      if (outcomeOf(entity) === 'pending') context.terminal.note(`${nameOf(entity)} is already running`);
      else await runAgain(context, slipway, entity);
      await settle(context, slipway, [entity], options);
    },
  );
}

const EXAMPLES = `
Examples:
  slipway train -f wine.yaml --wait              apply, wait, print the artifact
  slipway train wine --wait --logs               the stored training again, with its log
  ARTIFACT=$(slipway train -f wine.yaml --wait)`;
