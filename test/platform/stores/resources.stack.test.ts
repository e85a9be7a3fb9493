import { openTestDatabase } from './test-database.js';
import { entitiesContract } from './resources.contract.js';

entitiesContract(openTestDatabase);
