import { canonical, type Vocabulary } from '../../lifecycle/kinds/aliases.js';
import type { AnyResource } from '../../platform/kinds/resource.js';
import type { ResourceStore } from '../../platform/stores/resources.js';

/** An integration by the client's word: a resource stored under that very word wins over the one it is an alias of. */
export async function findIntegration<E extends AnyResource>(
  store: ResourceStore<E>,
  vocabulary: Vocabulary,
  word: string,
): Promise<E | undefined> {
  return (await store.get(word)) ?? store.get(canonical(vocabulary, word));
}
