import { reuseContract } from './reuse.contract.js';
import { openTestDatabase } from '../../platform/stores/test-database.js';

reuseContract(openTestDatabase);
