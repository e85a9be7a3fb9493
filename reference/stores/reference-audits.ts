import {
  createDanglingFinder,
  type DanglingReference,
  findDangling,
  type ReferenceView,
} from '../dataset/dangling-references.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { Datasets } from './datasets.js';
import { openReferences } from './dataset-references.js';

/** The result of an audit of one version of a dataset. */
export interface ReferenceAudit {
  version: number;
  at: string;
  /** Number of dangling references, and of rows that have some. */
  references: number;
  rows: number;
}

/** Rows of an audit, ordered by id. */
interface DanglingPage {
  audit: ReferenceAudit;
  items: { id: bigint; references: readonly DanglingReference[] }[];
  hasMore: boolean;
}

/**
 * Audits of dangling references: a write checks that its references exist, but a target can be deleted at the same
 * moment, or later where the declaration allows it.
 */
export interface ReferenceAudits {
  /** Returns the latest audit; undefined before the first. */
  last(name: string): ReferenceAudit | undefined;
  /** @throws dataset.not_found; replica.loading, also of a dataset that it refers to */
  page(name: string, page: { after?: bigint | undefined; size: number }): Promise<DanglingPage>;
  /** Audits every dataset once a day from now on, until `stop`. */
  start(): void;
  stop(): void;
}

const DAY_MS = 86_400_000;

interface AuditResult {
  /** Versions of everything that the result depends on. */
  key: string;
  referring: ReferenceView;
  audit: ReferenceAudit;
  rows: Int32Array;
}

export interface ReferenceAuditsOptions {
  datasets: Datasets;
  /** How often to check whether an audit is due. */
  lookMs?: number;
  now?: () => Date;
  onError?: (err: unknown) => void;
}

export function createReferenceAudits(options: ReferenceAuditsOptions): ReferenceAudits {
  const { datasets, lookMs = 60_000, now = () => new Date(), onError = () => {} } = options;
  const made = new Map<string, { key: string; found: Promise<AuditResult> }>();
  const last = new Map<string, ReferenceAudit>();
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;

  function open(name: string): { key: string; referring: ReferenceView } {
    const ready = datasets.get(name);
    const referring = openReferences(datasets, ready);
    const key = [ready.declaration.generation, referring.version, referring.versions].join();
    return { key, referring };
  }

  async function make(name: string, key: string, referring: ReferenceView): Promise<AuditResult> {
    const { rows, references } = await findDangling(referring);
    const audit = { version: referring.version, at: now().toISOString(), references, rows: rows.length };
    last.set(name, audit);
    return { key, referring, audit, rows };
  }

  /** Runs one audit at a time per dataset; concurrent callers share it. */
  async function audit(name: string): Promise<AuditResult> {
    const { key, referring } = open(name);
    const before = made.get(name);
    if (before?.key === key) return before.found;
    const found = make(name, key, referring).catch((err: unknown) => {
      made.delete(name);
      throw err;
    });
    made.set(name, { key, found });
    return found;
  }

  async function auditAll(): Promise<void> {
    for (const { name } of datasets.all()) {
      const before = last.get(name);
      if (before !== undefined && now().getTime() - Date.parse(before.at) < DAY_MS) continue;
      await audit(name).catch((err: unknown) => {
        if (!(err instanceof SlipwayError)) onError(err); // else it is not declared, or not loaded yet
      });
    }
  }

  return {
    last: (name) => last.get(name),
    async page(name, { after, size }) {
      const { audit: result, rows, referring } = await audit(name);
      const { rows: store } = referring;
      const from = after === undefined ? 0 : rows.findIndex((row) => store.id(row) > after);
      const rest = from < 0 ? rows.subarray(0, 0) : rows.subarray(from);
      const look = createDanglingFinder(referring);
      const items = Array.from(rest.subarray(0, size), (row) => ({ id: store.id(row), references: look(row) }));
      return { audit: result, items, hasMore: rest.length > size };
    },
    start() {
      timer ??= setInterval(() => {
        if (isLooking) return;
        isLooking = true;
        void auditAll().finally(() => (isLooking = false));
      }, lookMs).unref();
    },
    stop() {
      clearInterval(timer);
    },
  };
}
