/**
 * Options of a `node:http` server that keeps idle connections, so its client always closes them first. With the default
 * of five seconds, a busy process may close one while the next request is on its way.
 */
export const PATIENT = { keepAliveTimeout: 0 } as const;
