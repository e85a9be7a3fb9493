import { randomUUID } from 'node:crypto';
import { collections } from './collections.js';
import type { Database, Row } from './database.js';

/** One change of a field: dotted path, values as JSON. Secrets come masked from the caller. */
export interface FieldChange {
  path: string;
  from: unknown;
  to: unknown;
}

/** Who did what (management API, section 1.2). */
export interface AuditRecord {
  /** Sorts by time; also the cursor of `list`. */
  id: string;
  /** RFC 3339 UTC with milliseconds. */
  at: string;
  user: { sub: string; name?: string; email?: string };
  /** `create`, `update`, `delete`, `cancel`, `rerun`, `decrypt`, `denied`. */
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

export function createAudit({ database, now = () => new Date() }: AuditOptions): AuditStore {
  const table = database.table<Row & { record: AuditRecord }>(collections.audit);
  return {
    async append(given) {
      const at = now().toISOString();
      const record = { ...given, id: `${at}-${randomUUID()}`, at };
      await table.insert({ _id: record.id, record });
      return record;
    },
    async list(filter, { after, limit }) {
      const from = filter.from === undefined ? '' : new Date(filter.from).toISOString();
      // `~` sorts behind every id of that millisecond.
      const last = filter.to === undefined ? undefined : `${new Date(filter.to).toISOString()}~`;
      const before = [after, last].filter((bound) => bound !== undefined).sort()[0];
      const records: AuditRecord[] = [];
      for await (const { record } of table.scan({ descending: true, before })) {
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
