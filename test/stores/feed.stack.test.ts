import { feedContract } from './feed.contract.js';
import { openTestDatabase } from './test-database.js';

feedContract(openTestDatabase);
