/** Free of schemas, so that workflows may import it. One evaluator serves all watches: their number and entities are limited. */
export const WATCHES_WORKFLOW_ID = 'watches/all';
