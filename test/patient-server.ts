/**
 * Of a `node:http` server of a test: it closes no connection that waits, so its client always does so first. After five
 * seconds, as Node.js would have it, a busy process closes one just when the next request is under way on it.
 */
export const PATIENT = { keepAliveTimeout: 0 } as const;
