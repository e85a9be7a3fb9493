import { join } from 'node:path';
import {
  CLI_ARGUMENTS,
  REST_ARGUMENTS,
  serverVariables,
  type ServerArguments,
} from '../../lifecycle/kinds/packaging-arguments.js';
import { logDuration } from '../shared/log-duration.js';
import { openArtifact } from '../training/artifact.js';
import type { AssembledImage, ImageAssembly, ImageAssemblyDeps } from './image-request.js';
import { openImageTarget } from './image-target.js';
import { assembleModelImage, type ServingSettings } from './model-image.js';
import { comparePackages } from './packages.js';
import { type MergedArguments, mergeArguments } from './packaging-arguments.js';
import { explainOtherPython, openPythonBase, pythonImage, reportDifference } from './python-base.js';
import { ensureServingEnvironment } from './serving-environment.js';

/** Wraps a model into a REST service. */
export async function assembleRest(deps: ImageAssemblyDeps, assembly: ImageAssembly): Promise<AssembledImage> {
  const args = mergeArguments(REST_ARGUMENTS, assembly.step.packaging, assembly.integration);
  return assemblePythonModel(deps, assembly, { args, serving: restSettings(args) });
}

/** Wraps a model into a command line tool, on the very environment that its REST service has. */
export async function assembleCommandLine(deps: ImageAssemblyDeps, assembly: ImageAssembly): Promise<AssembledImage> {
  const args = mergeArguments(CLI_ARGUMENTS, assembly.step.packaging, assembly.integration);
  return assemblePythonModel(deps, assembly, { args, serving: COMMAND_LINE });
}

const COMMAND_LINE: ServingSettings = {
  packager: 'container-cli',
  entrypoint: ['python', '-m', 'slipway_server.command_line'],
  variables: {},
  labels: {},
};

export const restSettings = (serving: ServerArguments): ServingSettings => ({
  packager: 'container-rest',
  variables: serverVariables(serving),
  labels: {
    'dev.slipway.predictor': 'platform-ml-server',
    'dev.slipway.port': String(serving.port),
    'dev.slipway.timeout': String(serving.timeout),
    'dev.slipway.concurrency': String(serving.workers * serving.threads),
  },
});

interface PythonModel {
  args: MergedArguments<typeof REST_ARGUMENTS | typeof CLI_ARGUMENTS>;
  serving: ServingSettings;
}

/** Makes the environment of an artifact, unless its registry has it, and the image with the model on top of it. */
async function assemblePythonModel(
  deps: ImageAssemblyDeps,
  assembly: ImageAssembly,
  { args, serving }: PythonModel,
): Promise<AssembledImage> {
  const { connections, step, ref, scratch } = assembly;
  const { packaging, say, signal, log } = step;
  const { engine, server } = deps;
  const artifact = await logDuration(say, 'artifact fetched', async () =>
    openArtifact(await connections.openOutput(packaging), packaging.spec.artifactName, join(scratch, 'model')),
  );
  signal.throwIfAborted(); // object storage is read without a signal
  const target = await openImageTarget(deps, assembly, { template: args.imageName, model: artifact });
  const named = args.dockerfileBaseImage ?? pythonImage(artifact.python);
  const base = await logDuration(say, 'base image resolved', () => openPythonBase(deps, assembly, named));
  const difference = comparePackages(artifact.lock, base.packages);
  reportDifference(say, base, difference);
  const environment = await logDuration(say, 'environment ready', () =>
    ensureServingEnvironment(engine, {
      ...{ ref, base, target: target.environments, difference, server, installer: deps, log, signal },
    }).catch(explainOtherPython(base, artifact)),
  );
  const variables = {
    MODEL_LOCATION: `/app/model/${artifact.workDir.replace(/^\.\//, '')}`,
    MODEL_ENTRYPOINT: artifact.entrypoint,
    ...serving.variables,
  };
  const image = await logDuration(say, 'image assembled', () =>
    assembleModelImage({
      ...{ model: artifact, layer: { folder: artifact.folder, path: 'app/model' }, base },
      ...{ environment: environment.image, target: target.repository, serving: { ...serving, variables } },
      ...{ packagingId: ref.id, scratch, signal },
    }),
  );
  const described = { ...base, digest: base.image.manifest.digest };
  const { packager } = serving;
  const parts = { packager, args, artifact, base: described, installed: difference.install, server };
  return { name: target.name, image, environment: environment.name, parts };
}
