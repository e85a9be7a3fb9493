export { createAnswerGraph, type GraphAnswer } from './answer.js';
export { createDocuments, type Documents, type GraphDocument } from './document.js';
export { GRAPH_LIMITS } from './limits.js';
export { createRowCache } from './row-cache.js';
export { createGraphSchema, type GraphSchema } from './schema.js';
export type { Cursors, DatasetView } from './view.js';
