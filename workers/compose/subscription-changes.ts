import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { AnyResource } from '../../platform/kinds/resource.js';
import type { Database } from '../../platform/stores/database.js';
import { createFollowedResources, RELOAD_MS, type ResourceView } from '../../platform/stores/followed-resources.js';

/** Tells which subscriptions changed, without reading the others again. */
export interface SubscriptionChanges {
  /**
   * Returns those that changed since the last call, by id; at first all, as they are read: a read of 100,000 takes the
   * embedded server half a minute. `undefined`: it was removed.
   */
  take(): Promise<Map<string, Subscription | undefined>>;
  stop(): Promise<void>;
}

export interface SubscriptionChangesOptions {
  database: Database;
  pollMs?: number;
  onError?: (err: unknown) => void;
}

interface View extends ResourceView {
  ids: Set<string>;
  isLoaded: boolean;
  changed: Map<string, Subscription | undefined>;
}

export function createSubscriptionChanges({
  database,
  pollMs,
  onError,
}: SubscriptionChangesOptions): SubscriptionChanges {
  let opened: View | undefined;
  const followed = createFollowedResources({
    ...{ database, kinds: ['Subscription'] as const, open: () => (opened = openView()), reloadMs: RELOAD_MS },
    ...{ pollMs, onError },
  });
  /** The subscriptions of all views so far, without those that were removed. */
  let known = new Set<string>();
  let last: View | undefined;
  void followed.start();

  return {
    async take() {
      const view = (await followed.newest('Subscription')) ?? opened;
      if (view === undefined) return new Map();
      const { changed } = view;
      view.changed = new Map();
      if (!view.isLoaded) for (const id of changed.keys()) known.add(id);
      else if (last !== view) {
        for (const id of known) if (!view.ids.has(id)) changed.set(id, undefined);
        known = view.ids;
        last = view;
      }
      return changed;
    },
    stop: () => followed.stop(),
  };
}

function openView(): View {
  const ids = new Set<string>();
  const view: View = {
    ...{ ids, isLoaded: false, changed: new Map() },
    load: (resource) => view.set(resource.id, resource),
    loaded: () => void (view.isLoaded = true),
    set(id: string, resource: AnyResource | undefined) {
      if (resource === undefined) ids.delete(id);
      else ids.add(id);
      view.changed.set(id, resource as Subscription | undefined); // the collection holds no other kind
    },
  };
  return view;
}
