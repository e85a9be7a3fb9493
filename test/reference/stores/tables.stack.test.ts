import { tablesContract } from './tables.contract.js';
import { openTestDatabase } from '../../platform/stores/test-database.js';

tablesContract(openTestDatabase);
