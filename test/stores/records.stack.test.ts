import { recordsContract } from './records.contract.js';
import { openTestDatabase } from './test-database.js';

recordsContract(openTestDatabase);
