/** Schema-free, so that workflows may have it. One evaluator judges all watches: their number and their entities are limited. */
export const WATCHES_WORKFLOW_ID = 'watches/all';
