import { openTestDatabase } from './test-database.js';
import { entitiesContract } from './entities.contract.js';

entitiesContract(openTestDatabase);
