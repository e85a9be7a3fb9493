import { changeWriterContract } from './change-writer.contract.js';
import { openTestDatabase } from '../../platform/stores/test-database.js';

changeWriterContract(openTestDatabase);
