import { engineService } from './engine.js';
import { imagesService } from './images.js';
import { issuerService } from './issuer.js';
import { mongodbService } from './mongodb.js';
import { registryService } from './registry.js';
import { storageService } from './storage.js';
import { temporalService } from './temporal.js';
import type { Service } from '../service.js';

/** The parts of the embedded stack; each part comes after the parts that it needs. */
export const SERVICES: readonly Service[] = [
  temporalService,
  mongodbService,
  storageService,
  issuerService,
  registryService,
  imagesService,
  engineService,
];
