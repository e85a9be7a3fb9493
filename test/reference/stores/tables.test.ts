import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { tablesContract } from './tables.contract.js';

tablesContract(async () => createMemoryDatabase());
