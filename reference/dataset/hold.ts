import type { Change } from './change.js';

/** The changes that an import keeps back until its release. */
export interface Hold {
  import: string;
  pending: Map<string, Pending>;
  /** Number of changes whose rows are already in place. */
  prepared: number;
}

/** The members of a change that a hold stores: there may be millions of them. */
export type Pending = Pick<Change, 'id' | 'version' | 'at' | 'body' | 'schema'>;
export const pendingOf = ({ id, version, at, body, schema }: Change): Pending => ({ id, version, at, body, schema });
