import { collections } from './collections.js';
import type { Database } from './database.js';
import { createSequence } from './sequence.js';

/** One change of a field: dotted path, values as JSON. Secrets come masked from the caller. */
export interface FieldChange {
  path: string;
  from: unknown;
  to: unknown;
}

/** A record of an action and its user (management API, section 1.2). */
export interface AuditRecord {
  /** Its number, from 1 on; also the cursor of `list`. */
  id: string;
  /** RFC 3339 UTC with milliseconds; never before the record before it. */
  at: string;
  user: { sub: string; name?: string; email?: string };
  /** `create`, `update`, `delete`, `cancel`, `rerun`, `decrypt`, `denied`; under `/v2` also `pause`, `secrets.create`, ... */
  action: string;
  kind: string;
  entityId: string;
  generation?: number;
  changes: FieldChange[];
  requestId: string;
}

export interface AuditFilter {
  kind?: string;
  entityId?: string;
  /** Subject, name or e-mail address. */
  user?: string;
  action?: string;
  /** First and last time that count, RFC 3339. */
  from?: string;
  to?: string;
}

export interface AuditPage {
  records: AuditRecord[];
  /** Give it as `after` to read on; absent on the last page. */
  next?: string;
}

/** Append-only. */
export interface AuditStore {
  append(record: Omit<AuditRecord, 'id' | 'at'>): Promise<AuditRecord>;
  /** Newest first. */
  list(filter: AuditFilter, page: { after?: string; limit: number }): Promise<AuditPage>;
}

export interface AuditOptions {
  database: Database;
  now?: () => Date;
}

/** Point reads under way at a time: reads cost a network's time more than a database's. */
const BATCH = 50;

export function createAudit({ database, now = database.now }: AuditOptions): AuditStore {
  const sequence = createSequence<AuditRecord>(database.table(collections.audit));

  /** From a position down to 1: `first` records at once, then more of them each time. */
  async function* backwards(from: number, first: number): AsyncGenerator<AuditRecord> {
    for (let newest = from, size = Math.min(BATCH, first); newest > 0;) {
      const positions = Array.from({ length: Math.min(size, newest) }, (_, index) => newest - index);
      for (const record of await Promise.all(positions.map((position) => sequence.get(position))))
        if (record !== undefined) yield record;
      newest -= size;
      size = Math.min(BATCH, size * 4);
    }
  }

  return {
    append: (given) =>
      sequence.append((position, before) => {
        const at = now().toISOString();
        // Clocks of two processes differ: the order of the records is the order of their times all the same.
        return { ...given, id: String(position), at: before !== undefined && before.at > at ? before.at : at };
      }),
    async list(filter, { after, limit }) {
      const from = filter.from === undefined ? '' : new Date(filter.from).toISOString();
      const to = filter.to === undefined ? undefined : new Date(filter.to).toISOString();
      const newest = to === undefined ? await sequence.end() : await sequence.last(({ at }) => at <= to);
      const records: AuditRecord[] = [];
      const begin = Math.min(newest, after === undefined ? newest : Number(after) - 1);
      for await (const record of backwards(begin, limit + 1)) {
        if (record.at < from) break;
        if (!matches(record, filter)) continue;
        if (records.length === limit) return { records, next: records.at(-1)?.id };
        records.push(record);
      }
      return { records };
    },
  };
}

function matches({ kind, entityId, action, user }: AuditRecord, filter: AuditFilter): boolean {
  const wants = (asked: string | undefined, ...values: unknown[]) => asked === undefined || values.includes(asked);
  return (
    wants(filter.kind, kind) &&
    wants(filter.entityId, entityId) &&
    wants(filter.action, action) &&
    wants(filter.user, user.sub, user.name, user.email)
  );
}
