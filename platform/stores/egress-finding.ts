import { collections } from './collections.js';
import type { Database, Row } from './database.js';

const KEY = 'egress';

/** The result of the newest check of what containers reach. */
export interface EgressFinding {
  /** Addresses that containers reach and should not. */
  reached: readonly string[];
  /** Whether containers are refused meanwhile. */
  refuses: boolean;
  checkedAt: string;
}

/** Lets the API show what a worker found. */
export function createEgressFindings(database: Pick<Database, 'table' | 'now'>) {
  const table = database.table<Row & EgressFinding>(collections.installation);
  return {
    record: ({ reached, refuses }: Omit<EgressFinding, 'checkedAt'>): Promise<void> =>
      table.put({ _id: KEY, reached, refuses, checkedAt: database.now().toISOString() }),
    newest: (): Promise<EgressFinding | undefined> => table.get(KEY),
  };
}
