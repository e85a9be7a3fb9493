import type { Deployment } from '../../lifecycle/kinds/deployment.js';
import type { EndpointStore } from '../../lifecycle/stores/endpoints.js';
import type { RouteReaders } from '../../lifecycle/stores/route-readers.js';
import type { DeploymentRevisions } from '../../lifecycle/stores/deployment-revisions.js';
import type { LineageLog } from '../../lifecycle/stores/lineage.js';
import type { LogStore } from '../../platform/stores/logs.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { RenewLease } from '../shared/lease.js';
import type { ReplicaMeter } from './replica-meter.js';
import type { RevisionDeps } from './revision.js';
import type { ScalingTimes } from './supervision.js';
import type { WakePort } from './wake-port.js';

/** The effects that the activities of deployments need. */
export interface DeploymentDeps extends RevisionDeps {
  deployments: ResourceStore<Deployment>;
  endpoints: EndpointStore;
  routeReaders: Pick<RouteReaders, 'allServe' | 'callsOf' | 'reports'>;
  revisions: DeploymentRevisions;
  lineage: Pick<LineageLog, 'keep'>;
  logs: LogStore;
  readySeconds: number;
  /** Between two polls of the replicas, when this process watches over few. */
  pollMs?: number;
  meter: Pick<ReplicaMeter, 'watch'>;
  /** Tells Temporal that an attempt is alive, and waits for its answer. @throws when the attempt is not the one that counts */
  renewLease: RenewLease;
  /** Where gateways ask for a replica; without it a supervisor learns of waiting calls from the reports of the gateways. */
  wakePort?: WakePort;
  times?: ScalingTimes;
  /** Memory that the paused replicas which this process supervises may hold; absent: any. */
  pausedBytes?: number;
  /** For so long a revision that took over all calls at once may lose them again; absent or 0: never. */
  guardSeconds?: number;
  now?: () => Date;
}
