import { canonical, type Vocabulary } from '../resources/aliases.js';
import type { AnyEntity } from '../resources/entity.js';
import type { EntityStore } from '../stores/entities.js';

/** An integration by the client's word: an entity stored under that very word wins over the one it is an alias of. */
export async function findIntegration<E extends AnyEntity>(
  store: EntityStore<E>,
  vocabulary: Vocabulary,
  word: string,
): Promise<E | undefined> {
  return (await store.get(word)) ?? store.get(canonical(vocabulary, word));
}
