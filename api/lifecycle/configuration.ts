import { CUSTOM_PREFIX } from '../../lifecycle/kinds/route.js';
import { Router } from '@koa/router';
import type { Settings } from '../../config.js';
import type { ApiGroup } from '../../lifecycle/kinds/api-groups.js';
import { DEFAULT_RESOURCES } from '../../platform/kinds/resource-requirements.js';
import { DEFAULT_CONNECTIONS } from '../../lifecycle/kinds/built-in-rules.js';
import type { Issuer } from '../../platform/auth/issuer.js';
import type { ApiState, Step } from '../http/state.js';

const SECOND_NS = 1_000_000_000;

export interface ConfigurationRoutesDeps {
  settings: Settings;
  issuer: Issuer;
  version: string;
}

export function configurationRoutes({ settings, issuer, version }: ConfigurationRoutesDeps) {
  const reply: Step = async (ctx) => {
    const { jwks, token = '' } = await issuer.endpoints().catch(() => ({ jwks: '', token: '' }));
    ctx.body = toConfiguration({ settings, version, endpoints: { jwks, token } });
  };
  return new Router<ApiState>({ prefix: '/api/v1/configuration' }).get('/', reply);
}

interface ConfigurationSources {
  settings: Settings;
  version: string;
  endpoints: { jwks: string; token: string };
}

/** Written out key by key, so that a new setting is private by default. Durations are nanoseconds. */
function toConfiguration({ settings, version, endpoints }: ConfigurationSources) {
  const baseUrl = settings.SLIPWAY_BASE_URL.replace(/\/+$/, '');
  const pools = settings.SLIPWAY_NODE_POOLS.map((nodeSelector) => ({ nodeSelector, tags: {} }));
  const isOn = (group: ApiGroup): boolean => !settings.SLIPWAY_DISABLED_GROUPS.includes(group);
  return {
    api: { port: settings.SLIPWAY_API_PORT },
    common: {
      externalUrls: [
        { name: 'API', url: `${baseUrl}/swagger/index.html`, imageUrl: '' },
        { name: 'Models', url: `${baseUrl}/service-catalog/swagger/index.html`, imageUrl: '' },
        { name: 'Runs', url: settings.SLIPWAY_TEMPORAL_UI_URL, imageUrl: '' },
      ],
      resourceGpuName: 'nvidia.com/gpu',
      version,
      oauthOidcTokenEndpoint: endpoints.token,
      launchPeriod: 0, // runs start with the request that asks for them
      gracefulTimeout: 10 * SECOND_NS,
    },
    users: { claims: { name: 'name', email: 'email' }, signOutUrl: '' },
    connection: { enabled: isOn('connection') },
    training: {
      enabled: isOn('training'),
      outputConnectionID: DEFAULT_CONNECTIONS.output,
      nodePools: pools,
      gpuNodePools: [],
      metricUrl: '',
      timeout: settings.SLIPWAY_TRAINING_TIMEOUT * SECOND_NS,
      defaultResources: DEFAULT_RESOURCES.training,
    },
    packaging: {
      enabled: isOn('packaging'),
      outputConnectionID: DEFAULT_CONNECTIONS.output,
      nodePools: pools,
      timeout: settings.SLIPWAY_PACKAGING_TIMEOUT * SECOND_NS,
      defaultResources: DEFAULT_RESOURCES.packaging,
    },
    deployment: {
      enabled: isOn('deployment'),
      security: { jwks: { url: endpoints.jwks, issuer: settings.OIDC_ISSUER, enabled: true } },
      defaultDockerPullConnName: DEFAULT_CONNECTIONS.registry,
      edge: { host: baseUrl },
      nodePools: pools,
      defaultResources: DEFAULT_RESOURCES.deployment,
      customRoutePrefix: CUSTOM_PREFIX,
    },
    batch: { enabled: isOn('batch') },
    serviceCatalog: {},
    trainer: {},
    packager: {},
    operator: {},
  };
}
