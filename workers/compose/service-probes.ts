import type { Client } from '@temporalio/client';
import { schemeOf } from '../../platform/registry/address.js';
import type { ServiceProbes } from '../../api/http/outages.js';
import type { Settings } from '../../config.js';
import { connectDocker } from '../../platform/engines/docker/connect.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { Database } from '../../platform/stores/database.js';
import type { ObjectStore } from '../../platform/stores/objects.js';

const LIMIT_MS = 2_000;

interface Services {
  settings: Settings;
  database: Pick<Database, 'ping'>;
  objects: Pick<ObjectStore, 'head'>;
  client: Client;
}

/** The smallest request of each service that shows that it works. */
export function openServiceProbes({ settings, database, objects, client }: Services): ServiceProbes {
  const { SLIPWAY_REGISTRY, DOCKER_HOST, DOCKER_CERT_PATH, OIDC_ISSUER } = settings;
  const [registry = ''] = SLIPWAY_REGISTRY.split('/');
  const docker = connectDocker(DOCKER_HOST, DOCKER_CERT_PATH);
  return {
    database: () => database.ping(),
    temporal: () =>
      client.connection.withDeadline(Date.now() + LIMIT_MS, () => client.workflowService.getSystemInfo({})),
    // An object that never exists: a store that says so works.
    'object storage': () => objects.head('health'),
    registry: () => requireAnswer(`${schemeOf(registry)}://${registry}/v2/`),
    engine: () => docker.ping(),
    issuer: () => requireAnswer(`${OIDC_ISSUER.replace(/\/$/, '')}/.well-known/openid-configuration`),
  };
}

/** A registry that wants a login works: only an answer of 5xx counts as down. */
async function requireAnswer(url: string): Promise<void> {
  const { status, body } = await fetch(url, { signal: AbortSignal.timeout(LIMIT_MS) });
  await body?.cancel();
  const publicMessage = `answers with status ${status}`;
  if (status >= 500) throw new SlipwayError('unavailable', `${url} ${publicMessage}`, { publicMessage });
}
