import type { ChildWorkflowOptions } from '@temporalio/workflow';
import { type RunKind, type RunRef, runMemo, workflowId } from '../platform/kinds/ids.js';
import { SEARCH_ATTRIBUTES } from './search-attributes.js';

/** The origin of a run, by which runs are filtered in the Web UI. */
export interface Origin {
  pipeline: string;
  trigger: string;
}

/** Returns the options of a child run: it has the id that the API would give it, and is canceled with its parent. */
export function childOptions(kind: RunKind, child: RunRef, { pipeline, trigger }: Origin): ChildWorkflowOptions {
  return {
    workflowId: workflowId(kind, child.id),
    taskQueue: 'control',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    parentClosePolicy: 'REQUEST_CANCEL',
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    staticSummary: `${kind} ${child.id}, generation ${child.generation}`,
    memo: runMemo(child),
    typedSearchAttributes: [
      { key: SEARCH_ATTRIBUTES.resourceKind, value: kind },
      { key: SEARCH_ATTRIBUTES.resourceId, value: child.id },
      { key: SEARCH_ATTRIBUTES.pipelineId, value: pipeline },
      { key: SEARCH_ATTRIBUTES.trigger, value: trigger },
    ],
  };
}
