import { canonical, type Vocabulary } from '../../lifecycle/kinds/aliases.js';
import type { AnyResource } from '../../platform/kinds/resource.js';
import type { ResourceStore } from '../../platform/stores/resources.js';

/** Finds an integration by the client's name: a resource of that very id wins over the one that the name is an alias of. */
export async function findIntegration<E extends AnyResource>(
  store: ResourceStore<E>,
  vocabulary: Vocabulary,
  name: string,
): Promise<E | undefined> {
  return (await store.get(name)) ?? store.get(canonical(vocabulary, name));
}
