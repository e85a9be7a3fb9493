import type { AnyResource } from '../../platform/kinds/resource.js';
import type { Database } from '../../platform/stores/database.js';
import { createFollowedResources, RELOAD_MS, type ResourceView } from '../../platform/stores/followed-resources.js';
import type { Deployment } from '../kinds/deployment.js';
import type { Holding } from '../kinds/quota.js';
import type { Training } from '../kinds/training.js';
import { artifactHolding, deploymentHolding } from './holdings.js';

/** The holdings of kinds that have too many resources to read for each request, in the memory of this process. */
export interface KeptHoldings {
  /** Follows the changes from the first call on. @returns with every write before the call; undefined until they are loaded */
  of(kind: KeptKind): Promise<readonly Holding[] | undefined>;
  stop(): Promise<void>;
}

const KINDS = ['ModelDeployment', 'ModelTraining'] as const;
type KeptKind = (typeof KINDS)[number];

export function createKeptHoldings(options: {
  database: Database;
  pollMs?: number;
  onError?: (err: unknown) => void;
}): KeptHoldings {
  const followed = createFollowedResources<KeptKind, HoldingView>({
    ...options,
    kinds: KINDS,
    reloadMs: RELOAD_MS,
    open: () => new HoldingView(),
  });
  return {
    of: async (kind) => {
      void followed.start();
      return (await followed.newest(kind))?.all();
    },
    stop: () => followed.stop(),
  };
}

/** Keeps a few numbers of each resource. */
class HoldingView implements ResourceView {
  readonly #holdings = new Map<string, Holding>();

  load(resource: AnyResource): void {
    this.set(resource.id, resource);
  }

  loaded(): void {}

  set(id: string, resource: AnyResource | undefined): void {
    const holding = resource && toHolding(resource);
    if (holding === undefined) this.#holdings.delete(id);
    else this.#holdings.set(id, holding);
  }

  all(): readonly Holding[] {
    return [...this.#holdings.values()];
  }
}

/** `kind` says which resource it is. */
const toHolding = (resource: AnyResource): Holding | undefined =>
  resource.kind === 'ModelDeployment'
    ? deploymentHolding(resource as Deployment)
    : artifactHolding(resource as Training);
