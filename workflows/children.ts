import type { ChildWorkflowOptions } from '@temporalio/workflow';
import { type RunKind, type RunRef, runMemo, workflowId } from '../platform/kinds/ids.js';
import { SEARCH_ATTRIBUTES } from './search-attributes.js';

/** Why a run is made, for whoever filters runs in the Web UI. */
export interface Origin {
  pipeline: string;
  trigger: string;
}

/** A run as the child of another one: the same id as if the API had started it, and canceled with its parent. */
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
