import type { Deployment } from '../../lifecycle/kinds/deployment.js';
import type { RunRef } from '../../platform/kinds/ids.js';
import type { Packaging } from '../../lifecycle/kinds/packaging.js';
import { isPackedImage } from '../../lifecycle/kinds/packed-image.js';
import type { GateResult, PipelineRun } from '../../lifecycle/kinds/pipeline-run.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import type { RunStatus } from '../../platform/kinds/run-status.js';
import type { Training } from '../../lifecycle/kinds/training.js';
import type { EndpointStore } from '../../lifecycle/stores/endpoints.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { noteStep } from './pipeline-steps.js';

export interface PipelineGatesDeps {
  pipelineRuns: ResourceStore<PipelineRun>;
  trainings: ResourceStore<Training>;
  packagings: ResourceStore<Packaging>;
  deployments: ResourceStore<Deployment>;
  endpoints: EndpointStore;
  now?: () => Date;
}

/** `null`: what was logged was no number. */
type Metrics = Readonly<Record<string, number | null>>;

/** The gates that a trained model must pass before it is packaged. */
export function createPipelineGatesActivities(deps: PipelineGatesDeps) {
  return {
    /** Holds the metrics against their limits and the serving model. @throws run_failed, reason GateFailed */
    async checkPipelineMetrics(ref: RunRef): Promise<GateResult[]> {
      const { spec, status } = await noteStep(deps, ref, 'metrics', { state: 'running' });
      const { metrics, serving } = spec.template.gates;
      const logged = status.metrics ?? {};
      const results: GateResult[] = metrics.map((gate) => ({ gate: 'metrics', ...judgeLimits(gate, logged) }));
      if (serving.length > 0) {
        const rival = await servingMetrics(deps, spec.template.deployment.id);
        results.push(...serving.map((gate): GateResult => ({ gate: 'serving', ...judgeRival(gate, logged, rival) })));
      }
      await concludeGates(deps, ref, 'metrics', results);
      return results;
    },
  };
}

/** Notes what the gates of a step said. @throws run_failed, reason GateFailed, when one of them did not pass */
export async function concludeGates(
  deps: Pick<PipelineGatesDeps, 'pipelineRuns' | 'now'>,
  ref: RunRef,
  step: 'metrics' | 'heldOut',
  results: GateResult[],
): Promise<void> {
  const failed = results.filter(({ passed }) => !passed).map(({ message }) => message);
  const { status } = await noteStep(deps, ref, step, { state: 'running' });
  const names = new Set(results.map(({ gate }) => gate));
  const gates = [...status.gates.filter(({ gate }) => !names.has(gate)), ...results];
  const message = failed.join('; ');
  const end =
    failed.length > 0
      ? ({ state: 'failed', reason: 'GateFailed', message } as const)
      : ({ state: 'succeeded' } as const);
  await noteStep(deps, ref, step, end, { gates });
  if (failed.length > 0) throw runFailed({ reason: 'GateFailed', message });
}

interface Limits {
  metric: string;
  min?: number | undefined;
  max?: number | undefined;
}

/** One sentence with the number and its bounds. A metric that was never logged passes no gate, and NaN neither. */
export function judgeLimits({ metric, min, max }: Limits, figures: Metrics): Omit<GateResult, 'gate'> {
  const value = figureOf(metric, figures);
  if (typeof value === 'string') return { passed: false, message: value };
  if (max !== undefined && !(value <= max))
    return { passed: false, message: `${metric} is ${shown(value)}, above ${max}` };
  if (min !== undefined && !(value >= min))
    return { passed: false, message: `${metric} is ${shown(value)}, below ${min}` };
  const bounds = [min === undefined ? [] : [`not below ${min}`], max === undefined ? [] : [`not above ${max}`]].flat();
  return { passed: true, message: `${metric} is ${shown(value)}, ${bounds.join(' and ')}` };
}

/** Six digits tell all that a person wants to know. */
const shown = (value: number): string => String(Number(value.toPrecision(6)));

/** The figure, or a sentence why there is none. */
function figureOf(metric: string, figures: Metrics, by = 'the training'): number | string {
  const value = Object.hasOwn(figures, metric) ? figures[metric] : undefined;
  if (value === null) return `metric "${metric}" of ${by} is no finite number`;
  if (value !== undefined) return value;
  const known = Object.keys(figures).sort().join(', ') || 'none at all';
  return `metric "${metric}" was never logged by ${by}; logged were: ${known}`;
}

interface Rival {
  /** Sentence why there is nothing to be better than, or that the metrics of what serves are not known. */
  absent?: { passed: boolean; message: string };
  metrics: Metrics;
  /** Its training. */
  name: string;
}

function judgeRival(
  { metric, goal, margin }: { metric: string; goal: string; margin: number },
  figures: Metrics,
  rival: Rival,
): Omit<GateResult, 'gate'> {
  if (rival.absent) return rival.absent;
  const value = figureOf(metric, figures);
  if (typeof value === 'string') return { passed: false, message: value };
  const serving = figureOf(metric, rival.metrics, `${rival.name}, which serves now`);
  if (typeof serving === 'string') return { passed: false, message: serving };
  const gain = goal === 'maximize' ? value - serving : serving - value;
  const by = `by ${margin}`;
  const message = `${metric} is ${shown(value)}, that of ${rival.name}, which serves now, ${shown(serving)}`;
  if (gain >= margin) return { passed: true, message: `${message}: better ${by} or more` };
  return { passed: false, message: `${message}: not better ${by}` };
}

/** Metrics of the training whose image serves now: by the image to its packaging, by the artifact to the training. */
async function servingMetrics(deps: PipelineGatesDeps, id: string): Promise<Rival> {
  const none: Omit<Rival, 'absent'> = { metrics: {}, name: '' };
  const [deployment, endpoint] = await Promise.all([deps.deployments.get(id), deps.endpoints.get(id)]);
  if (deployment === undefined || endpoint?.uid !== deployment.uid) {
    return { ...none, absent: { passed: true, message: `nothing serves as ${id} yet` } };
  }
  const { image } = deployment.spec;
  const unknown = (why: string): Rival => ({ ...none, absent: { passed: false, message: why } });
  if (endpoint.generation !== deployment.generation) {
    return unknown(`what serves as ${id} is not its newest generation; bring the deployment in order first`);
  }
  const packagings = (await deps.packagings.list()).filter(({ status }) => isPackedImage(status, image));
  const artifactName = lastOf(packagings)?.spec.artifactName;
  const trainings = (await deps.trainings.list()).filter(({ status }) => status.artifactName === artifactName);
  const training = lastOf(trainings);
  if (artifactName === undefined || training === undefined) {
    return unknown(`image ${image}, which serves now, is of no known training: its metrics cannot be compared`);
  }
  return { metrics: training.status.metrics ?? {}, name: `training ${training.id}` };
}

/** A name that was used again is of whoever used it last. */
function lastOf<E extends { status: RunStatus }>(entities: readonly E[]): E | undefined {
  const finished = ({ status }: E): number => Date.parse(status.finishedAt ?? '') || 0;
  return [...entities].sort((one, other) => finished(other) - finished(one))[0];
}
