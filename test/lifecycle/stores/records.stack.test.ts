import { recordsContract } from './records.contract.js';
import { openTestDatabase } from '../../platform/stores/test-database.js';

recordsContract(openTestDatabase);
