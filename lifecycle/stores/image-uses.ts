import { collections } from '../../platform/stores/collections.js';
import type { Database, Row } from '../../platform/stores/database.js';

interface Use extends Row {
  /** RFC 3339. */
  at: string;
}

export interface ImageUses {
  note(name: string): Promise<void>;
  /** When an image was used last; undefined when that is not known. */
  last(name: string): Promise<string | undefined>;
  forget(name: string): Promise<void>;
}

/** When the images that the platform keeps for later runs were used last; a name is `<repository>/<tag>`. */
export function createImageUses({ database, now = database.now }: { database: Database; now?: () => Date }): ImageUses {
  const uses = database.table<Use>(collections.imageUse);
  return {
    note: (name) => uses.put({ _id: name, at: now().toISOString() }),
    last: async (name) => (await uses.get(name))?.at,
    forget: (name) => uses.remove(name),
  };
}
