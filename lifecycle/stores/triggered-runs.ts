import { SlipwayError } from '../../platform/kinds/errors.js';
import { isFinal } from '../../platform/kinds/run-status.js';
import type { AuditStore } from '../../platform/stores/audit.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { type PipelineRun, pipelineRunId } from '../kinds/pipeline-run.js';
import type { Trigger } from '../kinds/pipeline-trigger.js';
import type { Pipeline } from '../kinds/pipeline.js';
import { runHolding } from './holdings.js';
import type { PipelineRunStore, RunRequest } from './pipeline-runs.js';
import type { Quotas } from './quotas.js';

export interface TriggeredRunsDeps {
  pipelines: ResourceStore<Pipeline>;
  pipelineRunStore: PipelineRunStore;
  quotas: Pick<Quotas, 'reserve'>;
  audit: Pick<AuditStore, 'append'>;
  now?: () => Date;
}

/** Runs that no request of a caller makes: they count for the owner of the pipeline. */
export interface TriggeredRuns {
  /**
   * Makes a run. One beyond the quota is refused: the status of the pipeline and the audit log say so.
   * @throws quota_exceeded, and whatever `open` of the runs throws
   */
  open(pipelineId: string, request: RunRequest): Promise<PipelineRun>;
}

/** Triggers that are checked again and again: their cause stays, and so does the refusal. */
const CHECKED: readonly string[] = ['feedback', 'drift', 'data'];

export function createTriggeredRuns(deps: TriggeredRunsDeps): TriggeredRuns {
  const { pipelines, pipelineRunStore, quotas, audit, now = () => new Date() } = deps;

  async function noteRefusal({ id, createdBy, status }: Pipeline, { type }: Trigger, message: string): Promise<void> {
    if (CHECKED.includes(type) && status.refused?.trigger === type) return;
    const at = now().toISOString();
    const refused = { trigger: type, at, message };
    await pipelines.update(id, (current) => ({ ...current, status: { ...current.status, refused } }));
    await audit.append({
      ...{ user: { sub: createdBy }, action: 'denied', kind: 'ModelPipeline', entityId: id },
      changes: [{ path: `triggers.${type}`, from: null, to: message }],
      requestId: `${type} ${at}`,
    });
  }

  const forget = (id: string): Promise<Pipeline> =>
    pipelines.update(id, (current) => {
      const { refused, ...status } = current.status;
      return refused === undefined ? undefined : { ...current, status };
    });

  return {
    async open(pipelineId, request) {
      const { trigger } = request;
      const { pipeline, run } = await pipelineRunStore.newest(pipelineId);
      const isRepeat = trigger.key !== undefined && run?.spec.trigger.key === trigger.key;
      // Neither takes anything: the first is there, the second is refused for the run that goes on.
      if (isRepeat || (run && !isFinal(run.status.state))) return pipelineRunStore.open(pipelineId, request);
      const id = pipelineRunId(pipelineId, pipeline.status.lastRun + 1);
      const wanted = runHolding({ id, createdBy: trigger.by ?? pipeline.createdBy });
      const release = await quotas.reserve(wanted).catch(async (err: unknown) => {
        if (err instanceof SlipwayError && err.code === 'quota_exceeded') {
          await noteRefusal(pipeline, trigger, err.message);
        }
        throw err;
      });
      try {
        const opened = await pipelineRunStore.open(pipelineId, request);
        if (pipeline.status.refused !== undefined) await forget(pipelineId);
        return opened;
      } finally {
        release();
      }
    },
  };
}
