import { tablesContract } from './tables.contract.js';
import { openTestDatabase } from './test-database.js';

tablesContract(openTestDatabase);
