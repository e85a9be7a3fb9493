import { createMemoryDatabase } from '../../stores/memory-database.js';
import { tablesContract } from './tables.contract.js';

tablesContract(async () => createMemoryDatabase());
