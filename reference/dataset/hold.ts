import type { Change } from './change.js';

/** What an import keeps back until its release. */
export interface Hold {
  import: string;
  pending: Map<string, Pending>;
  /** How many of them have their rows already. */
  prepared: number;
}

/** What a hold keeps of a change: there may be millions of them. */
export type Pending = Pick<Change, 'id' | 'version' | 'at' | 'body' | 'schema'>;
export const pendingOf = ({ id, version, at, body, schema }: Change): Pending => ({ id, version, at, body, schema });
