import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { entitiesContract } from './resources.contract.js';

entitiesContract(async () => createMemoryDatabase());
