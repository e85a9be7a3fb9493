import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createGateway } from '../gateway/gateway.js';
import { createRoutes } from '../gateway/routes.js';
import { createSpool } from '../gateway/spool.js';
import { followTls, readTls } from '../gateway/tls-files.js';
import { createVerifyCaller } from '../gateway/caller.js';
import { createIssuer, tokenEndpoint } from '../platform/auth/issuer.js';
import { createMeasurements, publishMeasurements } from '../lifecycle/stores/measurements.js';
import { createRecordIndex } from '../lifecycle/stores/record-index.js';
import { createRouteReaders } from '../lifecycle/stores/route-readers.js';
import { openDatabase } from '../platform/stores/mongo-database.js';
import { createHostCheck } from '../platform/kinds/allowed-hosts.js';
import type { Connection } from '../lifecycle/kinds/connection.js';
import type { Route } from '../lifecycle/kinds/route.js';
import { createResources } from '../notifications/stores/resources.js';
import { createEndpoints } from '../lifecycle/stores/stored-endpoints.js';
import { openPlatformBucket } from './compose/bucket.js';
import { listen } from './compose/listen.js';
import { apiUrlOf, ownHosts } from './compose/own-hosts.js';
import { openRecordObjects } from './compose/record-objects.js';
import { type Close, type ProcessContext, runProcess } from './compose/process.js';
import { spoolDir } from './compose/spool-dir.js';

await runProcess('gateway', startGateway);

async function startGateway({ settings, log }: ProcessContext): Promise<Close> {
  // Not connected: the gateway also starts, and serves from its copy of the routes, while the database is away.
  const database = openDatabase(settings.MONGODB_URI, settings.SLIPWAY_DATABASE);
  const endpoints = createEndpoints({ database });
  const copyPath = join(settings.SLIPWAY_STATE_DIR, 'gateway', 'routes.json');
  const readers = createRouteReaders({ database });
  const customRoutes = createResources<Route>({ database, kind: 'ModelRoute' });
  const routes = await createRoutes({ endpoints, customRoutes, readers, copyPath, log });
  const connections = createResources<Connection>({ database, kind: 'Connection' });
  // Not awaited: feedback is taken while object storage is away too.
  const objects = openRecordObjects({ settings, connections, objects: openPlatformBucket(settings) });
  const spool = await createSpool({ dir: spoolDir(settings), log });
  const issuer = createIssuer({ url: settings.OIDC_ISSUER });
  const { OIDC_AUDIENCE: audience, OIDC_ROLE_CLAIMS: roleClaims, OIDC_ROLE_MAP: roleMap } = settings;
  const tlsPaths = { cert: settings.SLIPWAY_TLS_CERT, key: settings.SLIPWAY_TLS_KEY };
  const tls = await readTls(tlsPaths);
  const gateway = createGateway({
    routes,
    tls,
    verify: createVerifyCaller({ issuer, audience, roleClaims, roleMap }),
    findTokenEndpoint: () => tokenEndpoint(issuer),
    spool,
    isAllowedHost: createHostCheck(ownHosts(settings)),
    apiUrl: apiUrlOf(settings),
    log,
    bodyLimitBytes: settings.SLIPWAY_BODY_LIMIT_MIB * 2 ** 20,
    maxConnections: settings.SLIPWAY_MAX_CONNECTIONS,
    bodyMs: settings.SLIPWAY_BODY_SECONDS * 1_000,
    queueMs: settings.SLIPWAY_QUEUE_SECONDS * 1_000,
    recordIndex: createRecordIndex({ objects, prefix: settings.SLIPWAY_RECORD_PREFIX }),
    feedbackEnabled: settings.SLIPWAY_FEEDBACK,
    unrecordedHeaders: settings.SLIPWAY_UNRECORDED_HEADERS,
  });
  const stopPublishing = publishMeasurements(createMeasurements({ database }), {
    source: `gateway/${randomUUID()}`,
    measure: () => ({ calls: gateway.measure() }),
  });
  const { SLIPWAY_HOST, SLIPWAY_INTERNAL_HOST } = settings;
  await listen(gateway.server, { host: SLIPWAY_HOST, port: settings.SLIPWAY_GATEWAY_PORT });
  await listen(gateway.internal, { host: SLIPWAY_INTERNAL_HOST, port: settings.SLIPWAY_GATEWAY_INTERNAL_PORT });
  const stopTls = tls && followTls(gateway.server, { paths: tlsPaths, files: tls, log });
  return async () => {
    stopTls?.();
    stopPublishing();
    await gateway.close();
    await routes.close();
    await spool.close();
    issuer.close();
  };
}
