import type { Deployment } from '../../lifecycle/kinds/deployment.js';
import type { Endpoint } from '../../lifecycle/kinds/endpoint.js';
import type { EndpointStore } from '../../lifecycle/stores/endpoints.js';
import type { RunKind } from '../../platform/kinds/ids.js';
import type { Done, LoopItem } from '../../platform/kinds/loop-items.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { epochOfAttempt } from './endpoint-publication.js';

export interface RouteSweepDeps {
  endpoints: EndpointStore;
  deployments: ResourceStore<Deployment>;
  /** Whether the resource's workflow is open. */
  isOpen: (kind: RunKind, id: string) => Promise<boolean>;
}

/** Takes routes of deployments that are gone out of service. */
export function createRouteSweep({ endpoints, deployments, isOpen }: RouteSweepDeps): () => AsyncGenerator<LoopItem> {
  async function repair(endpoint: Endpoint): Promise<Done> {
    const { id, uid } = endpoint;
    const deployment = await deployments.get(id);
    // The workflow of a deployment that is being removed withdraws its route itself.
    if (deployment?.uid === uid || (deployment === undefined && (await isOpen('deployment', id)))) return undefined;
    await endpoints.withdraw({ id, uid }, epochOfAttempt());
    return { routes_removed: 1 };
  }

  return async function* () {
    for (const endpoint of await endpoints.list()) yield { name: endpoint.id, act: () => repair(endpoint) };
  };
}
