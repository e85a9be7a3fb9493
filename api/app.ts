import { randomUUID } from 'node:crypto';
import { Router } from '@koa/router';
import type Koa from 'koa';
import { Registry } from 'prom-client';
import type { Settings } from '../config.js';
import type { AuditStore } from '../platform/stores/audit.js';
import type { IdempotencyStore } from '../platform/stores/idempotency.js';
import { createHttpApp } from './http/app.js';
import { createRateLimit, limitCaller } from './http/rate-limit.js';
import { createRecordChange } from './http/audit-record.js';
import { auditRoutes } from './lifecycle/audit.js';
import { authentication } from './http/authentication.js';
import { authorization } from './http/authorization.js';
import type { BuiltInsDeps } from './lifecycle/built-ins.js';
import { configurationRoutes } from './lifecycle/configuration.js';
import type { ConfigurationRoutesDeps } from './lifecycle/configuration.js';
import { connectionRoutes } from './lifecycle/connection.js';
import type { ConnectionRoutesDeps } from './lifecycle/connection.js';
import { auditDenials } from './http/denials.js';
import { deploymentRoutes } from './lifecycle/deployment.js';
import type { DeploymentRoutesDeps } from './lifecycle/deployment.js';
import { deploymentMetricsRoutes } from './lifecycle/deployment-metrics.js';
import { disabledGroups } from './http/disabled-groups.js';
import { renderMessage } from './http/message-error.js';
import { eventsRoutes } from './lifecycle/events.js';
import type { EventsRoutesDeps } from './lifecycle/events.js';
import { createFollowLimit } from './lifecycle/follow-limit.js';
import { healthRoutes, type HealthRoutesDeps } from './http/health.js';
import { idempotency as createIdempotent } from './http/idempotency.js';
import { limitsOf } from '../lifecycle/kinds/quota.js';
import { createQuotas } from '../lifecycle/stores/quotas.js';
import { createIssuer } from '../platform/auth/issuer.js';
import { createValidationContext } from './lifecycle/validation-context.js';
import { measureRequests } from './http/metrics.js';
import { packagingIntegrationRoutes } from './lifecycle/packaging-integration.js';
import { packagingRoutes } from './lifecycle/packaging.js';
import type { PackagingRoutesDeps } from './lifecycle/packaging.js';
import { imageVerificationRoutes } from './lifecycle/image-verification.js';
import type { ImageVerificationRoutesDeps } from './lifecycle/image-verification.js';
import { lineageRoutes } from './lifecycle/lineage.js';
import type { LineageRoutesDeps } from './lifecycle/lineage.js';
import { pipelineRunRoutes } from './lifecycle/pipeline-run.js';
import type { PipelineRunRoutesDeps } from './lifecycle/pipeline-run.js';
import { pipelineScheduleRoutes } from './lifecycle/pipeline-schedule.js';
import { pipelineWebhookRoutes } from './lifecycle/pipeline-webhook.js';
import { pipelineRoutes } from './lifecycle/pipeline.js';
import type { PipelineRoutesDeps } from './lifecycle/pipeline.js';
import { rolloutRoutes, type RolloutRoutesDeps } from './lifecycle/rollout.js';
import { inferenceJobRoutes } from './lifecycle/inference-job.js';
import type { InferenceJobRoutesDeps } from './lifecycle/inference-job.js';
import { inferenceServiceRoutes } from './lifecycle/inference-service.js';
import type { InferenceServiceRoutesDeps } from './lifecycle/inference-service.js';
import { routeRoutes } from './lifecycle/route.js';
import type { RouteRoutesDeps } from './lifecycle/route.js';
import { findRoute } from './http/routing.js';
import type { ApiState } from './http/state.js';
import { swaggerRoutes } from './lifecycle/swagger.js';
import { quotaRoutes } from './lifecycle/quota.js';
import { toolchainIntegrationRoutes } from './lifecycle/toolchain-integration.js';
import { recordRoutes, type RecordRoutesDeps } from './lifecycle/record.js';
import { trainingRoutes } from './lifecycle/training.js';
import type { TrainingRoutesDeps } from './lifecycle/training.js';
import { userRoutes } from './lifecycle/user.js';

/** Dependencies that `createApi` creates from the settings and the stores. */
type Made =
  | 'follows'
  | 'validationContext'
  | 'quotas'
  | 'idempotent'
  | 'record'
  | 'baseUrl'
  | 'deleteProtection'
  | 'issuer'
  | 'now'
  | 'newId';

type RoutesDeps = TrainingRoutesDeps &
  PackagingRoutesDeps &
  DeploymentRoutesDeps &
  RolloutRoutesDeps &
  RouteRoutesDeps &
  PipelineRoutesDeps &
  PipelineRunRoutesDeps &
  InferenceServiceRoutesDeps &
  InferenceJobRoutesDeps &
  ConnectionRoutesDeps &
  LineageRoutesDeps &
  RecordRoutesDeps &
  ImageVerificationRoutesDeps &
  BuiltInsDeps &
  HealthRoutesDeps &
  ConfigurationRoutesDeps;

export interface ApiDeps
  extends Omit<RoutesDeps, Made>, Partial<Pick<RoutesDeps, 'issuer' | 'now' | 'newId' | 'quotas'>> {
  settings: Settings;
  audit: AuditStore;
  idempotency: IdempotencyStore;
  /** Changes of deployments; without it, there are no `/model/deployment-events` and `/model/route-events`. */
  deploymentFeed?: EventsRoutesDeps['deploymentFeed'];
  /** Changes of custom routes. */
  routeFeed: EventsRoutesDeps['routeFeed'];
  /** Where request metrics go; give the same one to `createInternalApi`. */
  metrics?: Registry;
}

/** Creates the management API: everything under `/api/v1`. */
export function createApi(given: ApiDeps): Koa<ApiState> {
  const { settings, logger, audit, metrics = new Registry() } = given;
  const { issuer = createIssuer({ url: settings.OIDC_ISSUER }) } = given;
  const { OIDC_AUDIENCE: audience, OIDC_ROLE_CLAIMS: roleClaims, OIDC_ROLE_MAP: roleMap } = settings;
  const deps = { ...given, issuer, now: given.now ?? (() => new Date()), newId: given.newId ?? randomUUID };
  const router = createRouter(deps);
  const outer = [findRoute(router), measureRequests({ metrics })];
  const subjectOf = ({ caller }: Partial<ApiState>) => caller?.sub;
  const app = createHttpApp<ApiState>({ logger, render: renderMessage, subjectOf, newId: deps.newId, outer });
  app
    .use(authentication({ issuer, audience, roleClaims, roleMap }))
    .use(limitCaller(createRateLimit({ perSecond: settings.SLIPWAY_API_RATE })))
    .use(auditDenials({ audit, logger }))
    .use(authorization)
    .use(disabledGroups({ disabled: settings.SLIPWAY_DISABLED_GROUPS }))
    .use(router.routes());
  return app;
}

type RouterDeps = ApiDeps & Pick<RoutesDeps, 'issuer' | 'now' | 'newId'>;

/** Every route of the public listener. */
export function createRouter(given: RouterDeps): Router<ApiState> {
  const { settings, audit } = given;
  const deps = {
    ...given,
    baseUrl: settings.SLIPWAY_BASE_URL,
    deleteProtection: settings.SLIPWAY_DELETE_PROTECTION,
    validationContext: createValidationContext(given),
    idempotent: createIdempotent(given),
    record: createRecordChange({ audit }),
    follows: createFollowLimit(settings.SLIPWAY_MAX_LOG_FOLLOWS),
    quotas:
      given.quotas ??
      createQuotas({
        ...given,
        limits: limitsOf({ owner: settings.SLIPWAY_OWNER_QUOTA, installation: settings.SLIPWAY_QUOTA }),
      }),
  };
  const router = new Router<ApiState>();
  if (given.deploymentFeed) router.use(eventsRoutes({ ...deps, deploymentFeed: given.deploymentFeed }).routes());
  return router
    .use(connectionRoutes(deps).routes())
    .use(toolchainIntegrationRoutes(deps).routes())
    .use(packagingIntegrationRoutes(deps).routes())
    .use(trainingRoutes(deps).routes())
    .use(packagingRoutes(deps).routes())
    .use(deploymentRoutes(deps).routes())
    .use(rolloutRoutes(deps).routes())
    .use(deploymentMetricsRoutes(deps).routes())
    .use(pipelineRoutes(deps).routes())
    .use(pipelineRunRoutes(deps).routes())
    .use(pipelineScheduleRoutes(deps).routes())
    .use(pipelineWebhookRoutes(deps).routes())
    .use(inferenceServiceRoutes(deps).routes())
    .use(inferenceJobRoutes(deps).routes())
    .use(routeRoutes(deps).routes())
    .use(lineageRoutes(deps).routes())
    .use(recordRoutes(deps).routes())
    .use(imageVerificationRoutes(deps).routes())
    .use(swaggerRoutes(deps).routes())
    .use(healthRoutes(deps).routes())
    .use(userRoutes().routes())
    .use(configurationRoutes(deps).routes())
    .use(quotaRoutes(deps).routes())
    .use(auditRoutes(deps).routes());
}
