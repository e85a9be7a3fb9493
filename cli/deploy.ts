import { Command, InvalidArgumentError, Option } from 'commander';
import { stateOf, type Slipway } from '../client/index.js';
import { SlipwayError } from '../platform/kinds/errors.js';
import type { CliContext } from './context.js';
import { connect } from './login/session.js';
import type { ManifestDocument } from './manifest/document.js';
import { readManifests, withManifests, type ManifestOptions } from './manifest/manifests.js';
import { withOverride, type OverrideOptions } from './manifest/override.js';
import { withWaiting, type WaitingOptions } from './progress/finish.js';
import { fromOptions, startDocuments, theOne } from './start.js';

interface DeployOptions extends Partial<ManifestOptions>, WaitingOptions, OverrideOptions {
  fromPackaging?: string;
  image?: string;
  replicas?: number;
  role?: string[];
  predictor: string;
}

const KIND = 'ModelDeployment';

/** `slipway deploy`: an image answers requests. */
export function deployCommand(context: CliContext): Command {
  const command = new Command('deploy')
    .description('deploy an image')
    .argument('[id]', 'id of the deployment, unless a manifest names it')
    .option('--from-packaging <id>', 'the image of this packaging')
    .addOption(new Option('--image <name>', 'the image of this name').conflicts('fromPackaging'))
    .option('--replicas <count>', 'number of replicas', toCount)
    .option('--role <name...>', 'roles that may invoke the model, beside data scientists and admins')
    .addOption(new Option('--predictor <name>', 'server in the image').default('platform-ml-server'))
    .addHelpText('after', EXAMPLES);
  return withWaiting(withOverride(withManifests(command, { mandatory: false }))).action(
    async (id: string | undefined, options: DeployOptions, self: Command) => {
      const { filename, recursive = false } = options;
      const given = filename === undefined ? undefined : await readManifests(context, { filename, recursive });
      const slipway = await connect(context, self);
      const image = await findImage(slipway, options, context.signal);
      const documents = given === undefined ? [describe(id, image, options)] : changed(given, image, options);
      await startDocuments(context, slipway, { kind: KIND, documents, options });
    },
  );
}

const EXAMPLES = `
Examples:
  slipway deploy wine --from-packaging wine --replicas 2 --wait
  slipway deploy -f deployment.yaml --image registry.example.org/wine:1.1`;

/** @throws not_finished when the packaging has not succeeded */
async function findImage(
  slipway: Slipway,
  { fromPackaging, image }: DeployOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (fromPackaging === undefined) return image;
  const packaging = await slipway.entities('ModelPackaging').get(fromPackaging, { signal });
  const found = packaging.status.results[0]?.value;
  if (found !== undefined) return found;
  throw new SlipwayError('not_finished', `packaging/${fromPackaging} has no image: it is ${stateOf(packaging)}`);
}

/** @throws validation_failed */
function describe(id: string | undefined, image: string | undefined, options: DeployOptions): ManifestDocument {
  if (id === undefined || image === undefined) {
    throw new SlipwayError(
      'validation_failed',
      'nothing to deploy: give an id with --from-packaging or --image, or a manifest with -f',
    );
  }
  return fromOptions(KIND, id, { predictor: options.predictor, image, minReplicas: 1, ...specOf(options) });
}

function changed(documents: ManifestDocument[], image: string | undefined, options: DeployOptions): ManifestDocument[] {
  const change = { ...(image !== undefined && { image }), ...specOf(options) };
  if (Object.keys(change).length > 0) Object.assign(theOne(documents, KIND).body.spec, change);
  return documents;
}

const specOf = ({ replicas, role }: DeployOptions): Record<string, unknown> => ({
  ...(replicas !== undefined && { minReplicas: replicas, maxReplicas: Math.max(1, replicas) }),
  ...(role !== undefined && { roleName: role[0] }),
  ...(role !== undefined && role.length > 1 && { roles: role.slice(1) }),
});

function toCount(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('use a number of replicas from 0 to 9999.');
  return Number(text);
}
