import { Command, Option } from 'commander';
import type { Slipway } from '../client/index.js';
import { SlipwayError } from '../platform/kinds/errors.js';
import type { CliContext } from './context.js';
import { stateOf } from '../client/index.js';
import { connect } from './login/session.js';
import type { ManifestDocument } from './manifest/document.js';
import { readManifests, withManifests, type ManifestOptions } from './manifest/manifests.js';
import { withWaiting } from './progress/finish.js';
import { fromOptions, startDocuments, theOne, type StartOptions } from './start.js';

interface PackOptions extends Partial<ManifestOptions>, StartOptions {
  fromTraining?: string;
  artifact?: string;
  packager: string;
  argument?: string[];
}

const KIND = 'ModelPackaging';

/** `slipway pack`: the artifact of a training becomes an image. */
export function packCommand(context: CliContext): Command {
  const command = new Command('pack')
    .description('make an image of the artifact of a training')
    .argument('[id]', 'of the packaging, where no manifest names it')
    .option('--from-training <id>', 'the artifact of this training')
    .addOption(new Option('--artifact <name>', 'the artifact of this name').conflicts('fromTraining'))
    .addOption(new Option('--packager <id>', 'packaging integration').default('container-rest'))
    .option('--argument <name=value...>', 'arguments of the packager, such as workers=2')
    .option('--rerun', 'run it also when nothing has changed')
    .addHelpText('after', EXAMPLES);
  return withWaiting(withManifests(command, { mandatory: false })).action(
    async (id: string | undefined, options: PackOptions, self: Command) => {
      const { filename, recursive = false } = options;
      const given = filename === undefined ? undefined : await readManifests(context, { filename, recursive });
      const slipway = await connect(context, self);
      const artifactName = await findArtifact(slipway, options, context.signal);
      const documents = given === undefined ? [describe(id, artifactName, options)] : withArtifact(given, artifactName);
      await startDocuments(context, slipway, { kind: KIND, documents, options });
    },
  );
}

const EXAMPLES = `
Examples:
  slipway pack wine --from-training wine --wait     with the defaults of the installation
  slipway pack -f packaging.yaml --artifact "$ARTIFACT"`;

/** @throws conflict when the training has not succeeded */
async function findArtifact(
  slipway: Slipway,
  { fromTraining, artifact }: PackOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (fromTraining === undefined) return artifact;
  const training = await slipway.entities('ModelTraining').get(fromTraining, { signal });
  const { artifactName } = training.status;
  if (artifactName !== undefined) return artifactName;
  throw new SlipwayError('not_finished', `training/${fromTraining} has no artifact: it is ${stateOf(training)}`);
}

/** @throws validation_failed */
function describe(id: string | undefined, artifactName: string | undefined, { packager, argument = [] }: PackOptions) {
  if (id === undefined || artifactName === undefined) {
    throw new SlipwayError('validation_failed', 'name an id with --from-training or --artifact, or a manifest with -f');
  }
  const args = Object.fromEntries(argument.map(toArgument));
  return fromOptions(KIND, id, { integrationName: packager, artifactName, arguments: args });
}

/** A value that reads as JSON is what JSON says; anything else is text. */
function toArgument(pair: string): [string, unknown] {
  const [, name, text] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
  if (name === undefined || text === undefined)
    throw new SlipwayError('validation_failed', `"${pair}" has not the form name=value`);
  try {
    return [name, JSON.parse(text)];
  } catch {
    return [name, text];
  }
}

function withArtifact(documents: ManifestDocument[], artifactName: string | undefined): ManifestDocument[] {
  const packaging = artifactName === undefined ? undefined : theOne(documents, KIND);
  if (packaging !== undefined) packaging.body.spec.artifactName = artifactName;
  return documents;
}
