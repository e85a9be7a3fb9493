export { deployment } from './deployment.js';
export { datasetImport } from './import.js';
export { notification } from './notification.js';
export { packaging } from './packaging.js';
export { pipeline } from './pipeline.js';
export { retraining } from './retraining.js';
export { sweep } from './sweep.js';
export { training } from './training.js';
