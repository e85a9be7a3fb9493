import type { AnyResource } from '../kinds/resource.js';
import type { PlatformEvent } from '../kinds/platform-event.js';
import type { Row } from './database.js';

/** The action of a commit, as the feed of changes names it. */
export type Change = 'created' | 'updated' | 'statusUpdated' | 'deletionMarkIsSet' | 'deleted';

/** One revision of one id. In the log its `_id` is `<id>/<revision>`, in the collection of resources `<id>`. */
export interface Revision<E extends AnyResource = AnyResource> extends Row {
  id: string;
  revision: number;
  change: Change;
  /** When it was committed; RFC 3339 UTC with milliseconds. */
  at: string;
  /** Drawn for each commit: tells a writer whose acknowledgement was lost that the row is its own. */
  commit: string;
  /** `null`: removed. */
  entity: E | null;
  /** Which resource of the id it was; absent in rows of earlier versions. */
  uid?: string;
  /** The events for subscribers: committed with it, so none is ever lost. */
  event?: PlatformEvent;
}

export const revisionId = (id: string, revision: number) => `${id}/${revision}`;

export function changeBetween(before: AnyResource | null | undefined, after: AnyResource | null): Change {
  if (after === null) return 'deleted';
  if (!before) return 'created';
  if (after.deletionMark && !before.deletionMark) return 'deletionMarkIsSet';
  return after.generation === before.generation ? 'statusUpdated' : 'updated';
}
