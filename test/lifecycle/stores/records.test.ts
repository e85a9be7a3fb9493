import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { recordsContract } from './records.contract.js';

recordsContract(async () => createMemoryDatabase());
