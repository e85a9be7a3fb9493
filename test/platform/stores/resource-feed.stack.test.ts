import { feedContract } from './resource-feed.contract.js';
import { openTestDatabase } from './test-database.js';

feedContract(openTestDatabase);
