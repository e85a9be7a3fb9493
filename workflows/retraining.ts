import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { executeChild, patched, proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { PipelineActivities } from '../activities/pipeline/pipeline.js';
import { earlierWorkflowId, workflowId } from '../platform/kinds/ids.js';
import { childOptions } from './children.js';
import type { pipeline } from './pipeline.js';
import { phase } from './phases.js';

const { openScheduledRun } = proxyActivities<PipelineActivities>(
  phase('record', 'create the next run of the pipeline'),
);
const { awaitPipelineChild } = proxyActivities<PipelineActivities>(phase('await', 'wait for the run in progress'));

/** The argument of one turn of a schedule. `settings` is a fingerprint by which the reconcile finds outdated schedules. */
export interface Retraining {
  pipelineId: string;
  settings?: string;
}

/** One turn of a pipeline's schedule; lasts as long as its run, so that the schedule's overlap policy sees it. */
export async function retraining({ pipelineId }: Retraining): Promise<string> {
  const { firstExecutionRunId, searchAttributes } = workflowInfo();
  const [nominal] = (searchAttributes.TemporalScheduledStartTime ?? []) as (Date | string)[];
  const at = nominal === undefined ? undefined : new Date(nominal).toISOString();
  const opened = await openScheduledRun({ pipelineId, key: firstExecutionRunId, at });
  if (opened.run === undefined) {
    setCurrentDetails(`No run: ${opened.why}`);
    return opened.why;
  }
  const child = opened.run;
  const workflow = (patched('run-ids') ? workflowId : earlierWorkflowId)('pipeline', child.id);
  setCurrentDetails(`Run [${workflow}] of pipeline ${pipelineId}`);
  try {
    await executeChild<typeof pipeline>('pipeline', {
      ...childOptions('pipeline', child, { pipeline: pipelineId, trigger: 'schedule' }),
      workflowId: workflow,
      args: [child],
    });
  } catch (err) {
    if (!(err instanceof WorkflowExecutionAlreadyStartedError)) throw err;
    await awaitPipelineChild({ kind: 'pipeline', child });
  }
  return child.id;
}
