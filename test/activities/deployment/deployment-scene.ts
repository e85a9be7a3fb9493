import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'vitest';
import { createDeploymentActivities } from '../../../activities/deployment/deployment.js';
import type { DeploymentDeps } from '../../../activities/deployment/deployment-deps.js';
import { createReplicaMeter } from '../../../activities/deployment/replica-meter.js';
import { createRolloutActivities } from '../../../activities/deployment/rollout.js';
import type { Connection } from '../../../lifecycle/kinds/connection.js';
import type { Deployment } from '../../../lifecycle/kinds/deployment.js';
import { createLineageLog } from '../../../lifecycle/stores/lineage.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { createDeploymentRevisions } from '../../../lifecycle/stores/deployment-revisions.js';
import { createRouteReaders } from '../../../lifecycle/stores/route-readers.js';
import { createEndpoints } from '../../../lifecycle/stores/stored-endpoints.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { createLogs } from '../../../platform/stores/stored-logs.js';
import { PATIENT } from '../../patient-server.js';
import { createMemoryRegistries } from '../../platform/registry/attested-registries.js';
import { newDeployment } from '../shared/resources.js';
import { newAttempt } from '../shared/environment.js';
import { createMemoryEngine } from '../shared/memory-engine.js';
import { registryAuthBy } from '../shared/registry-deps.js';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** As one attempt of an activity. */
export const attempt = async <T>(work: () => Promise<T>): Promise<T> => await newAttempt().run(work);

/** A deployment on an engine whose every container answers as a model server does. */
export async function startScene() {
  const model = { info: '{"info":{"title":"wine"}}' };
  const server = createServer(PATIENT, (_, response) => response.end(model.info));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const ports = { 5_000: `127.0.0.1:${(server.address() as AddressInfo).port}` };
  const { engine, containers } = createMemoryEngine({
    onStart: (container) => (container.state = { phase: 'running', startedAt: new Date().toISOString(), ports }),
  });
  const registries = createMemoryRegistries();
  const push = (content: string) => registries.open('wine:1').tag('1', { content }).digest;
  push('first');
  const database = createMemoryDatabase();
  const deployments = createResources<Deployment>({ database, kind: 'ModelDeployment' });
  const lineage = createLineageLog({ database });
  const routeReaders = createRouteReaders({ database });
  const endpoints = createEndpoints({ database });
  const deps: DeploymentDeps = {
    deployments,
    connections: createResources<Connection>({ database, kind: 'Connection' }),
    endpoints,
    routeReaders,
    revisions: createDeploymentRevisions({ database }),
    lineage,
    engine,
    logs: createLogs({ objects: createMemoryObjects() }),
    registryAuth: registryAuthBy(),
    imageMirrors: {},
    ...{ registries, imagePolicy: 'any', attestationKeys: async () => [] },
    meter: createReplicaMeter({ engine }),
    readySeconds: 5,
    pollMs: 5,
    renewLease: async () => {},
    times: { stableMs: 50, pauseMs: 50, stopMs: 60_000 },
  };
  const activities = { ...createDeploymentActivities(deps), ...createRolloutActivities(deps) };
  const spec = {
    image: 'wine:1',
    predictor: 'platform-ml-server',
    roleName: 'r',
    annotations: {},
    ...{ minReplicas: 1, maxReplicas: 1 },
    resources: { limits: {}, requests: {} },
  };
  const { id, uid } = await deployments.insert(newDeployment('wine', { ...spec, readinessProbeInitialDelay: 0 }));
  const serve = (generation: number) =>
    attempt(async () => {
      const revision = await activities.startRevision({ id, uid, generation });
      await activities.publishRevision(revision);
      return revision;
    });
  return {
    activities,
    containers,
    database,
    deployments,
    endpoints,
    engine,
    lineage,
    model,
    push,
    routeReaders,
    id,
    uid,
    serve,
  };
}
