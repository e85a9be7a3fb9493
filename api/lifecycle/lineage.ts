import { Router } from '@koa/router';
import type { Settings } from '../../config.js';
import type { Deployment } from '../../lifecycle/kinds/deployment.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { createLineageGraph } from '../../lifecycle/kinds/lineage-graph.js';
import { deploymentSteps, packagingStep, pipelineRunStep, trainingStep } from '../../lifecycle/kinds/lineage-steps.js';
import {
  type Direction,
  DIRECTIONS,
  LINEAGE_KINDS,
  type LineageKind,
  type LineageNode,
  type LineageStep,
  stepKey,
} from '../../lifecycle/kinds/lineage.js';
import type { Packaging } from '../../lifecycle/kinds/packaging.js';
import type { PipelineRun } from '../../lifecycle/kinds/pipeline-run.js';
import type { Training } from '../../lifecycle/kinds/training.js';
import type { EndpointStore } from '../../lifecycle/stores/endpoints.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { LineageLog } from '../../lifecycle/stores/lineage.js';
import type { Finding } from '../../lifecycle/stores/findings.js';
import type { RecordIndex } from '../../lifecycle/stores/record-index.js';
import { type Traffic, trafficKey } from '../../lifecycle/stores/traffic.js';
import { badQuery, queryLists } from '../http/query.js';
import type { ApiContext, ApiState, Step } from '../http/state.js';

export interface LineageRoutesDeps {
  trainings: ResourceStore<Training>;
  packagings: ResourceStore<Packaging>;
  deployments: ResourceStore<Deployment>;
  pipelineRuns: ResourceStore<PipelineRun>;
  endpoints: Pick<EndpointStore, 'list'>;
  lineage: Pick<LineageLog, 'steps'>;
  recordIndex: Pick<RecordIndex, 'find' | 'traffic'>;
  settings: Pick<Settings, 'SLIPWAY_LINEAGE_DAYS'>;
}

/** More nodes do not fit on a screen; the nearest are shown. */
const MOST_NODES = 500;

/** Where something came from and what came of it. */
export function lineageRoutes(deps: LineageRoutesDeps) {
  const read: Step = async (ctx) => {
    const { kind, id, direction, generation } = parseQuestion(ctx);
    const graph = createLineageGraph(await readSteps(deps));
    const root = kind === 'request' ? await addRequest(graph, deps, id) : graph.find(kind, id, generation);
    if (root.length === 0) throw new SlipwayError('not_found', unknown(kind, id, generation));
    const { nodes, ...rest } = graph.around(root, direction, MOST_NODES);
    const serves = nodes.some((node) => node.kind === 'deployment');
    const traffic = serves ? await readTraffic(deps) : undefined;
    ctx.body = { ...rest, nodes: nodes.map((node) => (traffic ? withTraffic(node, traffic) : node)) };
  };
  function unknown(kind: LineageKind, id: string, generation?: number): string {
    if (kind !== 'request') {
      return `no ${kind} "${id}"${generation === undefined ? '' : ` of generation ${generation}`} is known`;
    }
    const days = deps.settings.SLIPWAY_LINEAGE_DAYS;
    return `no call with the request id "${id}" is known; calls are known a minute or two later, and for ${days} days`;
  }

  return new Router<ApiState>({ prefix: '/api/v1/lineage' }).get('/:kind/:id', read);
}

function parseQuestion(ctx: ApiContext) {
  const { kind = '', id = '' } = ctx.params ?? {};
  if (!isKind(kind)) {
    throw new SlipwayError('not_found', `lineage knows no "${kind}", but ${LINEAGE_KINDS.join(', ')}`);
  }
  const { direction: [direction = 'both'] = [], generation: [generation] = [] } = queryLists(ctx);
  if (!isDirection(direction)) throw badQuery(`the direction URL parameter must be one of ${DIRECTIONS.join(', ')}`);
  if (generation !== undefined && !/^[1-9]\d{0,8}$/.test(generation)) {
    throw badQuery('the generation URL parameter must be a number from 1 on');
  }
  return { kind, id, direction, generation: generation === undefined ? undefined : Number(generation) };
}

const isKind = (name: string): name is LineageKind => (LINEAGE_KINDS as readonly string[]).includes(name);
const isDirection = (name: string): name is Direction => (DIRECTIONS as readonly string[]).includes(name);

/** Joins the current state of resources with the recorded steps of their earlier generations. */
async function readSteps(deps: LineageRoutesDeps): Promise<LineageStep[]> {
  const [kept, trainings, packagings, deployments, runs] = await Promise.all([
    deps.lineage.steps(),
    deps.trainings.list(),
    deps.packagings.list(),
    deps.deployments.list(),
    deps.pipelineRuns.list(),
  ]);
  const current = [
    ...trainings.map(trainingStep),
    ...packagings.map(packagingStep),
    ...deployments.flatMap(deploymentSteps),
    ...runs.map(pipelineRunStep),
  ];
  const steps = new Map(current.map((step) => [stepKey(step), step]));
  for (const step of kept) {
    const now = steps.get(stepKey(step));
    steps.set(stepKey(step), { ...step, facts: { ...step.facts, ...now?.facts } });
  }
  return [...steps.values()];
}

/** @returns the key of the call, or of the calls that shared their id, as one node; none when the id is not known */
async function addRequest(
  graph: ReturnType<typeof createLineageGraph>,
  { recordIndex }: LineageRoutesDeps,
  id: string,
): Promise<string[]> {
  const findings = (await recordIndex.find([id])).get(id) ?? [];
  if (findings.length === 0) return [];
  const timeOf = ({ at }: Finding): string => new Date(at).toISOString();
  const calls = findings.flatMap((finding) => {
    const { row } = finding;
    if (row.kind !== 'call') return [];
    const { deployment, deploymentUid, generation, imageId, model, version } = row;
    const facts = { at: timeOf(finding), deployment, generation, imageId, modelName: model, modelVersion: version };
    const link = { kind: 'deployment' as const, id: deployment, uid: deploymentUid, generation, relation: 'answered' };
    return [{ facts, link }];
  });
  const feedback = findings.flatMap((finding) => {
    const { kind, model, version } = finding.row;
    return kind === 'feedback' ? [{ at: timeOf(finding), modelName: model, modelVersion: version }] : [];
  });
  const key = `request/${id}`;
  const facts = { calls: calls.map((call) => call.facts), feedback };
  graph.add(
    { key, kind: 'request', id, facts },
    calls.map(({ link }) => link),
  );
  return [key];
}

async function readTraffic(deps: LineageRoutesDeps) {
  const [traffic, endpoints] = await Promise.all([deps.recordIndex.traffic(), deps.endpoints.list()]);
  const serving = new Set(
    endpoints.map(({ id, uid, generation }) => stepKey({ kind: 'deployment', id, uid, generation })),
  );
  return { ...traffic, serving };
}

/** Counts the answers of a revision of a deployment, as far as the index of records goes back. */
function withTraffic(node: LineageNode, { calls, feedback, serving }: Traffic & { serving: ReadonlySet<string> }) {
  if (node.kind !== 'deployment') return node;
  const { modelName, modelVersion } = node.facts;
  const counted = {
    calls: calls.get(node.key.split('/').slice(-2).join('/')) ?? 0,
    feedback: feedback.get(trafficKey(String(modelName), String(modelVersion))) ?? 0,
  };
  return { ...node, facts: { ...node.facts, serving: serving.has(node.key), traffic: counted } };
}
