import type { PipelineRun } from './pipeline-run.js';
import { createRenderer, TemplateProblem } from './pipeline-template.js';
import type { Pipeline, PipelineSpec } from './pipeline.js';
import { hasDeployment, hasPackaging } from './pipeline.js';

/** Other entities that a pipeline cannot do without. */
export interface PipelineNames {
  connections: string[];
  toolchain: string;
  /** Empty when the pipeline ends with the artifact. */
  packager: string;
}

/** As its next run will name them, with the parameters that are its own. */
export const namesOfPipeline = ({ id, spec, status }: Pipeline): PipelineNames =>
  namesOf(spec, { ...spec, pipeline: id, number: status.lastRun + 1 });

/** As the steps to come will name them. */
export const namesOfRun = ({ spec }: PipelineRun): PipelineNames => namesOf(spec.template, spec);

type Facts = Pick<PipelineRun['spec'], 'pipeline' | 'number' | 'parameters' | 'version'>;

function namesOf(spec: PipelineSpec, { pipeline, number, parameters, version }: Facts): PipelineNames {
  const { render } = createRenderer({ pipeline, run: String(number), parameters, version });
  const filledIn = (word: string | undefined): string => {
    try {
      return render(word ?? '');
    } catch (err) {
      if (!(err instanceof TemplateProblem)) throw err;
      return ''; // no run gets as far as that
    }
  };
  const { training, packaging, deployment, gates } = spec;
  const connections = [
    training.algorithmSource.vcs.connection,
    training.algorithmSource.objectStorage.connection,
    ...training.data.map(({ connection }) => connection),
    ...training.envs.map(({ valueFrom }) => valueFrom?.connection),
    training.outputConnection,
    gates.heldOut.connection,
    ...(hasPackaging(spec)
      ? [packaging.outputConnection, ...packaging.targets.map(({ connectionName }) => connectionName)]
      : []),
    ...(hasDeployment(spec) ? [deployment.spec.imagePullConnID] : []),
  ].map(filledIn);
  return {
    connections: connections.filter((name) => name !== ''),
    toolchain: filledIn(training.toolchain),
    packager: filledIn(packaging.integrationName),
  };
}
