import { Router } from '@koa/router';
import type { Deployment } from '../../lifecycle/kinds/deployment.js';
import { toDeploymentMetrics } from '../../lifecycle/kinds/measurement.js';
import type { MeasurementStore } from '../../lifecycle/stores/measurements.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { setPageHeaders } from '../http/paging.js';
import { parseListQuery } from '../http/query.js';
import type { ApiState, Step } from '../http/state.js';

export interface DeploymentMetricsDeps {
  deployments: Pick<ResourceStore<Deployment>, 'page'>;
  measurements: Pick<MeasurementStore, 'read'>;
}

/** `GET /api/v1/model/deployment-metrics`: one page of deployments as gateways and workers measure them. */
export function deploymentMetricsRoutes({ deployments, measurements }: DeploymentMetricsDeps) {
  const list: Step = async (ctx) => {
    const { size, page } = parseListQuery(ctx);
    const { items, total } = await deployments.page({ where: [], skip: size * page, limit: size });
    setPageHeaders(ctx, { size, page, total });
    ctx.body = items.map(toDeploymentMetrics(await measurements.read()));
  };
  return new Router<ApiState>({ prefix: '/api/v1/model/deployment-metrics' }).get('/', list);
}
