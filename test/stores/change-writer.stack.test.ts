import { changeWriterContract } from './change-writer.contract.js';
import { openTestDatabase } from './test-database.js';

changeWriterContract(openTestDatabase);
