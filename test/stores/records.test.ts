import { createMemoryDatabase } from '../../stores/memory-database.js';
import { recordsContract } from './records.contract.js';

recordsContract(async () => createMemoryDatabase());
