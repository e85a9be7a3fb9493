export { createGateway, type Gateway, type GatewayOptions } from './gateway.js';
export { createRoutes, type Routes, type RoutesOptions } from './routes.js';
export { createSpool, type Spool, type SpoolOptions } from './spool.js';
export { createVerifyCaller, type CallerOptions, type VerifyCaller } from './caller.js';
export { createUploader, type Uploader, type UploaderOptions } from './uploader.js';
