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
  /** The last uses of the images of one place, whose names begin so: by name, without this beginning. */
  below(place: string): Promise<Map<string, string>>;
  forget(name: string): Promise<void>;
}

/**
 * When the images that the platform keeps for later runs were used last; a name is `<repository>/<tag>`, or for one that it
 * brought to the container engine `engine/<image>`.
 */
export function createImageUses({ database, now = database.now }: { database: Database; now?: () => Date }): ImageUses {
  const uses = database.table<Use>(collections.imageUse);
  return {
    note: (name) => uses.put({ _id: name, at: now().toISOString() }),
    last: async (name) => (await uses.get(name))?.at,
    async below(place) {
      const found = new Map<string, string>();
      for await (const { _id, at } of uses.members(['at']))
        if (_id.startsWith(place)) found.set(_id.slice(place.length), at);
      return found;
    },
    forget: (name) => uses.remove(name),
  };
}
