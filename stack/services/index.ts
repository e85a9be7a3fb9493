import { issuerService } from './issuer.js';
import { mongodbService } from './mongodb.js';
import { storageService } from './storage.js';
import { temporalService } from './temporal.js';
import type { Service } from '../service.js';

export const SERVICES: readonly Service[] = [temporalService, mongodbService, storageService, issuerService];
