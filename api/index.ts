export { createApi } from './app.js';
export type { ApiDeps } from './app.js';
export { ensureBuiltIns } from './built-ins.js';
export type { BuiltInsDeps } from './built-ins.js';
export { createInternalApi } from './internal.js';
export type { InternalApiDeps } from './internal.js';
export { createIssuer } from './issuer.js';
export type { Issuer } from './issuer.js';
