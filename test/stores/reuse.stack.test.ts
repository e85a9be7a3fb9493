import { reuseContract } from './reuse.contract.js';
import { openTestDatabase } from './test-database.js';

reuseContract(openTestDatabase);
