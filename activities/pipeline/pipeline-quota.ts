import type { PipelineRun } from '../../lifecycle/kinds/pipeline-run.js';
import type { Holding } from '../../lifecycle/kinds/quota.js';
import type { Quotas } from '../../lifecycle/stores/quotas.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import type { AuditStore } from '../../platform/stores/audit.js';

export interface PipelineQuotaDeps {
  quotas: Pick<Quotas, 'reserve'>;
  audit: Pick<AuditStore, 'append' | 'list'>;
}

/**
 * Counts what a step of a run makes while `work` stores it.
 * @throws run_failed, reason QuotaExceeded; the audit log has it too
 */
export async function withinQuota<T>(
  { quotas, audit }: PipelineQuotaDeps,
  { id, createdBy }: PipelineRun,
  { wanted, work }: { wanted: Holding; work: () => Promise<T> },
): Promise<T> {
  const release = await quotas.reserve(wanted).catch(async (err: unknown) => {
    if (!(err instanceof SlipwayError) || err.code !== 'quota_exceeded') throw err;
    await audit.append({
      ...{ user: { sub: createdBy }, action: 'denied', kind: wanted.kind, entityId: wanted.id },
      changes: [{ path: 'quota', from: null, to: err.message }],
      requestId: `run ${id}`,
    });
    throw runFailed({ reason: 'QuotaExceeded', message: `${wanted.kind} ${wanted.id}: ${err.message}` }, err);
  });
  try {
    return await work();
  } finally {
    release();
  }
}
