import { createMemoryDatabase } from '../../stores/memory-database.js';
import { entitiesContract } from './entities.contract.js';

entitiesContract(async () => createMemoryDatabase());
